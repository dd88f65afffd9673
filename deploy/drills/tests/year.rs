//! The first months of the year that `make test-time` plays.

use anyhow::Result;
use drills::year;

/// [D-H4] [D-H5] [D-A12] [D-I4] [D-S2] [D-L6] On a clock that is set forward, codes, links, sessions, leases, proposals,
/// cooling-off, quotes, keys and maturities end when they should, statements across a year end and a leap day are right, and
/// after every month the audit is clean and no table keeps rows beyond its retention.
#[tokio::test]
async fn three_months_end_what_ends_by_time() -> Result<()> {
    year::play(3, |_| {}).await
}
