//! The service looks at its books by itself, and stops withdrawals when they are wrong; what waits is measured with it.

use chassis::audit;
use chassis::clock;
use chassis::db::Db;
use serde_json::json;

use crate::app::get_integrity;
use crate::error::Error;
use crate::store::accounts::{self, Books};
use crate::store::{book_checks, times, transactions, withdrawal_stops};

/// Looks at the books, unless another process does, and stops withdrawals when something is wrong. Returns whether they
/// are open.
///
/// # Errors
/// The database's.
pub async fn guard_withdrawals(db: &Db) -> Result<bool, Error> {
    let mut tx = db.begin().await?;
    if withdrawal_stops::take_check(&mut tx).await? {
        let complaints = get_integrity::look(&mut tx).await?.complaints;
        let reason = complaints.join(" ");
        if !complaints.is_empty() && withdrawal_stops::begin(&mut tx, &reason).await? {
            audit::append_own(&mut tx, "withdrawals.stop", "withdrawals", json!({ "reason": reason })).await?;
            tracing::error!(reason, "the books do not add up: withdrawals are stopped");
        }
    }
    let open = withdrawal_stops::in_force(&mut tx).await?.is_none();
    let (now, queue) = (clock::now(&mut tx).await?, transactions::queue(&mut tx).await?);
    let books = accounts::books(&mut tx).await?;
    let check = book_checks::last(&mut tx).await?;
    let times = times::of_the_last_day(&mut tx).await?;
    tx.commit().await?;
    show(&books);
    if let Some(check) = check {
        metrics::gauge!("books_checked_at").set(count(check.checked_at.unix_timestamp()));
    }
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
    Ok(open)
}

/// Shows the sums of the books in the metrics, in whole dollars.
fn show(books: &Books) {
    let sums = [
        ("available", books.available),
        ("held", books.held),
        ("invested", books.invested),
        ("bonus", books.bonus),
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
