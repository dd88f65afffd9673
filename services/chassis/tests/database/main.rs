//! What every service's database promises: transactions, keyed answers, two people, and the trail of staff.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod audit;
mod buckets;
mod connections;
mod fixture;
mod idempotency;
mod inbox;
mod migrations;
mod proposals;
