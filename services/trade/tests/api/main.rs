//! The use cases of trade through its gRPC server, on a real database, with a wallet that fails as set.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callers;
mod disclosure;
mod end_trade;
mod fixture;
mod open_trade;
mod plans;
mod saga;
mod wallet;
