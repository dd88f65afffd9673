//! The verdicts that this process keeps.

use chassis::id::TransactionId;
use moka::future::Cache;
use proto::wallet::v1::Verdict;
use tokio::time::Instant;

/// Open transactions that are looked at, from the longest waiting on.
pub(super) const MOST: i64 = 1_000;

/// The verdicts of this process, by transaction: they are the same for all of staff, but for what depends on the person.
#[derive(Clone)]
pub struct Verdicts(pub(super) Cache<TransactionId, (Verdict, Instant)>);

impl Default for Verdicts {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(2 * MOST.unsigned_abs()).build())
    }
}
