//! The wallet through its gRPC server, on a real database a test.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod evidence;
mod fixture;

mod arrived;
mod batches;
mod buckets;
mod callers;
mod checks;
mod closing;
mod corrections;
mod course;
mod course_refunds;
mod decided;
mod deposits;
mod destinations;
mod events;
mod fees;
mod handling;
mod holdings;
mod holds;
mod idempotency;
mod journal;
mod ledger;
mod liabilities;
mod limits;
mod outputs;
mod ownership;
mod pauses;
mod payouts;
mod plans;
mod posting;
mod queue;
mod quotes;
mod receipts;
mod returns;
mod reversals;
mod staff;
mod standby;
mod statement;
mod trades;
mod treasury;
mod triggers;
mod two_reviewers;
mod waits;
mod withdrawals;
