//! The wallet through its doors, on a real database a test.

mod fixture;

mod corrections;
mod course;
mod deposits;
mod events;
mod fees;
mod idempotency;
mod ledger;
mod ownership;
mod staff;
mod statement;
mod trades;
mod withdrawals;
