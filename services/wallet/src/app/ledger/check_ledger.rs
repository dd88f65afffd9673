//! The check of the ledger, once a minute: pauses withdrawals if a check fails, and updates the metrics of pending
//! work.

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::error::Error;
use crate::store::accounts::{self, Books};
use crate::store::ledger_checks::{self, Fault, LedgerCheck};
use crate::store::{times, transactions, withdrawal_pauses};

/// How old the last check may be while withdrawals are open: it ends every minute.
pub(crate) const FRESH: Duration = Duration::minutes(10);
/// Postings a step.
const POSTINGS: i32 = 1_000;
/// Entries a step of the walk.
const SLICE: i32 = 2_500;
/// Entries that the walk reads a minute at least, so that a small ledger is verified as a whole each time.
const WALK: i64 = 20_000;
/// Minutes a day: the share of a larger ledger that the walk reads each time.
const DAY: i64 = 1_440;
/// Faults that a pause names.
const NAMED: usize = 5;
/// Causes that were decided before the last check ended may have been committed after it.
const OVERLAP: Duration = Duration::minutes(2);
/// Maximum causes and time range of a step.
const CAUSES: i32 = 1_000;
const CAUSES_WITHIN: Duration = Duration::seconds(10);
/// How far the next cause is looked for at a time.
const EMPTY: Duration = Duration::minutes(10);

/// Checks what was posted since the last check and a share of everything else, unless another process does, and stops
/// withdrawals if something does not verify. Returns whether they are open.
pub async fn check_ledger(db: &Db) -> Result<bool, Error> {
    check(db).await?;
    pause(db).await?;
    if db.home().bucket == 0 {
        measure(db).await?;
    }
    Ok(withdrawal_pauses::in_force(&mut *db.conn().await?).await?.is_none())
}

/// Every step is a transaction of its own, so that no snapshot is held for long.
async fn check(db: &Db) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let (began_at, before) = (clock::now(&mut conn).await?, ledger_checks::state(&mut conn).await?);
    loop {
        match ledger_checks::check_new_postings(&mut conn, POSTINGS).await? {
            None => return Ok(()),
            Some(0) => break,
            Some(_) => {}
        }
    }
    let mut left = share(&before);
    while left > 0 {
        match ledger_checks::walk(&mut conn, SLICE).await? {
            None => return Ok(()),
            Some(true) => break,
            Some(false) => left -= i64::from(SLICE),
        }
    }
    let mut since = before.checked_at.map_or(began_at - Duration::hours(1), |checked_at| checked_at - OVERLAP);
    while since < began_at {
        // After an outage most of the time since the last check is empty.
        let Some(cause_at) = ledger_checks::next_cause(&mut conn, since, since + EMPTY).await? else {
            since += EMPTY;
            continue;
        };
        since = ledger_checks::check_causes(&mut conn, cause_at, cause_at + CAUSES_WITHIN, CAUSES).await?;
    }
    ledger_checks::recheck(&mut conn, SLICE).await?;
    ledger_checks::end(&mut conn).await?;
    Ok(())
}

/// How many entries the walk reads: everything the first time, then everything within a day.
fn share(before: &LedgerCheck) -> i64 {
    before.walked_at.map_or(i64::MAX, |_| (before.walked_entries / DAY * 2).max(WALK))
}

/// Pauses withdrawals if something does not verify and they are not paused.
async fn pause(db: &Db) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let faults = ledger_checks::open_faults(&mut tx, 1_000).await?;
    if !faults.is_empty() {
        pause_withdrawals(&mut tx, &sentences(&faults)).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Pauses withdrawals for this reason, which the audit log keeps, unless they are paused.
pub(crate) async fn pause_withdrawals(conn: &mut PgConnection, reason: &str) -> Result<(), Error> {
    if withdrawal_pauses::begin(conn, reason).await? {
        audit::append_own(conn, "withdrawals.stop", "withdrawals", json!({ "reason": reason })).await?;
        tracing::error!(reason, "withdrawals are paused");
    }
    Ok(())
}

fn sentences(faults: &[Fault]) -> String {
    let mut sentences: Vec<_> = faults.iter().take(NAMED).map(|fault| fault.detail.clone()).collect();
    if faults.len() > NAMED {
        sentences.push(format!("And {} more.", faults.len() - NAMED));
    }
    sentences.join(" ")
}

/// Puts the checks, the sums of the books and what waits for staff of all buckets into the metrics.
async fn measure(db: &Db) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let (open, check) =
        (withdrawal_pauses::in_force(&mut conn).await?.is_none(), ledger_checks::state_of_all(&mut conn).await?);
    let faults = ledger_checks::all_open_faults(&mut conn, 1_000).await?.len();
    let (now, queue) = (clock::now(&mut conn).await?, transactions::queue(&mut conn).await?);
    let books = accounts::books(&mut conn).await?;
    let times = times::of_the_last_day(&mut conn).await?;
    show(&books);
    let at = |moment: Option<OffsetDateTime>| count(moment.map_or(0, OffsetDateTime::unix_timestamp));
    metrics::gauge!("books_checked_at").set(at(check.checked_at));
    metrics::gauge!("books_walked_at").set(at(check.walked_at));
    metrics::gauge!("ledger_faults").set(u32::try_from(faults).unwrap_or(u32::MAX));
    metrics::gauge!("withdrawals_closed").set(u32::from(!open));
    for waiting in queue {
        let seconds = waiting.oldest_at.map_or(0, |oldest| (now - oldest).whole_seconds());
        metrics::gauge!("reviews_waiting", "kind" => waiting.kind.clone()).set(count(waiting.count));
        metrics::gauge!("reviews_oldest_seconds", "kind" => waiting.kind).set(count(seconds));
    }
    for time in times {
        for (quantile, seconds) in [("0.5", time.median_seconds), ("0.9", time.p90_seconds)] {
            let gauge = metrics::gauge!("handling_seconds", "kind" => time.kind.clone(), "quantile" => quantile);
            gauge.set(count(seconds));
        }
    }
    Ok(())
}

/// Shows the sums of the books in the metrics, in whole dollars.
fn show(books: &Books) {
    let sums = [
        ("available", books.available),
        ("held", books.held),
        ("invested", books.invested),
        ("bonus", books.bonus),
        ("on_hold", books.on_hold),
        ("owed", books.owed),
        ("holdings", books.holdings),
        ("pool", books.pool),
    ];
    for (sum, cents) in sums {
        let dollars = i32::try_from(cents.get() / 100).unwrap_or(i32::MAX);
        metrics::gauge!("books_dollars", "sum" => sum).set(dollars);
    }
}

fn count(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}
