//! Returns the handling times of deposits and withdrawals.

use std::sync::Arc;
use std::time::Duration;

use chassis::db::Db;
use chassis::error::Refusal;
use moka::future::Cache;

use crate::error::Error;
use crate::store::times::{self, HandlingTime};

/// How long an answer is good for.
const FRESH: Duration = Duration::from_secs(60);

/// The last answer: it is the same for everybody.
#[derive(Clone)]
pub struct LastTimes(Cache<(), Arc<Vec<HandlingTime>>>);

impl Default for LastTimes {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(1).time_to_live(FRESH).build())
    }
}

/// How long deposits took to be reviewed and withdrawals to be paid, in the last 24 hours; up to a minute old. Nothing of a
/// kind of which too few were handled.
pub async fn get_times(db: &Db, last: &LastTimes) -> Result<Arc<Vec<HandlingTime>>, Error> {
    let look = async {
        let times = times::of_the_last_day(&mut *db.conn().await?).await?;
        Ok(Arc::new(times.into_iter().filter(HandlingTime::is_meaningful).filter_map(of_members).collect()))
    };
    // One query for all who ask at the same time; the others learn that it failed.
    last.0
        .try_get_with((), look)
        .await
        .map_err(|error| Arc::try_unwrap(error).unwrap_or_else(|_| Refusal::unavailable().into()))
}

/// To a member a withdrawal is over when it is paid.
fn of_members(time: HandlingTime) -> Option<HandlingTime> {
    match time.kind.as_str() {
        "deposit" => Some(time),
        "paid_withdrawal" => Some(HandlingTime { kind: "withdrawal".to_owned(), ..time }),
        _ => None,
    }
}
