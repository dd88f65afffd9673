//! The use cases of course through its gRPC server, on a real database, with a wallet that says who has bought it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callers;
mod certificates;
mod fixture;
mod hostile;
mod media;
mod member_data;
mod notes;
mod progress;
mod reading;
mod studio;
mod versions;
mod wallet;
mod worker;
