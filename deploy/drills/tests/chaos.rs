//! A short form of the campaign that `make chaos` runs for an hour.

#![expect(clippy::print_stderr, reason = "the counts by operation are part of the report")]

use std::time::Duration;

use anyhow::Result;
use drills::chaos::{self, Campaign};

/// [D-H1] [D-H3] [D-I4] [D-I5] [D-W2] [D-W5] [D-D1] [D-G4] [Q1] [K6] Processes die at crash points in sagas, relays, consumers and
/// the group commit, are killed, frozen and cut off from their databases, while members deposit, withdraw, trade, buy the course
/// and get bonuses: for each member some order of the calls explains every balance that was read and every refusal, every
/// acknowledged operation is stored once, replays are equal, and the audit is clean.
#[tokio::test]
async fn every_call_is_explained_whatever_dies() -> Result<()> {
    let campaign = Campaign { seed: 1, length: Duration::from_secs(45), members: 3 };
    let report = chaos::run(campaign, |_| {}).await?;
    eprintln!("{}", report.text);
    assert!(report.kills >= 5 && report.points >= 3 && report.mutations >= 30, "too little happened");
    Ok(())
}
