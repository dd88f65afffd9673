//! The use cases of cases through its gRPC server, on a real database.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callers;
mod complaints;
mod files;
mod fixture;
mod member_data;
mod members;
mod staff;
