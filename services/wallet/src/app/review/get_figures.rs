//! Returns the figures of the business to staff.

use std::sync::Arc;

use chassis::clock;
use chassis::db::{Aged, PgConnection, Reads};
use chassis::error::Refusal;
use moka::future::Cache;
use time::{Duration, Time};

use crate::error::Error;
use crate::store::figures::{self, Day, Open, Person, Waiting};

/// The periods that are offered, in days; each is read by a statement that takes up to seconds.
const PERIODS: [i32; 3] = [7, 30, 90];
/// How long an answer is good for.
const FRESH: std::time::Duration = std::time::Duration::from_secs(60);

#[derive(Debug, Clone)]
pub struct Figures {
    pub days: Vec<Day>,
    pub waiting: Vec<Waiting>,
    pub people: Vec<Person>,
    pub open: Vec<Open>,
}

/// The last answer for each period: they are the same for all of staff.
#[derive(Clone)]
pub struct LastFigures(Cache<i32, Arc<Aged<Figures>>>);

impl Default for LastFigures {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(3).time_to_live(FRESH).build())
    }
}

/// The figures of the last days, today included; up to a minute old.
///
/// # Errors
/// Invalid for another period than 7, 30 or 90 days.
pub async fn get_figures(reads: &Reads, last: &LastFigures, days: i32) -> Result<Arc<Aged<Figures>>, Error> {
    if !PERIODS.contains(&days) {
        return Err(Refusal::field("days", "Choose 7, 30 or 90 days.").into());
    }
    let look = async { reads.read(|conn| read(conn, days)).await.map(Arc::new) };
    // One reading for all who ask at the same time; the others learn that it failed.
    last.0
        .try_get_with(days, look)
        .await
        .map_err(|error| Arc::try_unwrap(error).unwrap_or_else(|_| Refusal::unavailable().into()))
}

async fn read(mut conn: Box<PgConnection>, days: i32) -> Result<Figures, Error> {
    let today = clock::now(&mut conn).await?.replace_time(Time::MIDNIGHT);
    let since = today - Duration::days(i64::from(days) - 1);
    Ok(Figures {
        days: figures::days(&mut conn, since).await?,
        waiting: figures::waiting(&mut conn, since).await?,
        people: figures::people(&mut conn, since).await?,
        open: figures::open(&mut conn).await?,
    })
}
