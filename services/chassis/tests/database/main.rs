//! What every service's database promises: transactions, keyed answers, proposals and the audit log.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod audit;
mod buckets;
mod connections;
mod fixture;
mod idempotency;
mod inbox;
mod migrations;
mod proposals;
