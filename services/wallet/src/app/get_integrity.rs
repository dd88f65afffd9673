//! Whether the books are right.

use chassis::clock;
use chassis::db::Db;
use chassis::money::Cents;
use chassis::outbox;
use sqlx::PgConnection;
use time::Duration;

use crate::error::Error;
use crate::store::accounts::{self, Books, Faults};
use crate::store::book_checks::{self, BookCheck};
use crate::store::withdrawal_stops::{self, Stop};

/// How old the last look at the books may be. They are looked at every minute: a ledger that was not for so long has
/// nobody who watches it.
pub(crate) const FRESH: Duration = Duration::minutes(10);

/// What the integrity report says.
#[derive(Debug, Clone)]
pub struct Integrity {
    /// The sums.
    pub books: Books,
    /// The last look at every entry.
    pub check: BookCheck,
    /// Whether that was of late.
    pub is_watched: bool,
    /// Age of the oldest event that waits.
    pub outbox_oldest_seconds: i64,
    /// Events that cannot take effect here.
    pub dead_letters: i64,
    /// Whether withdrawals are stopped.
    pub stop: Option<Stop>,
}

fn complaints(faults: &Faults) -> Vec<String> {
    let amount =
        |cents: Cents, sentence: &str| (cents != Cents::ZERO).then(|| sentence.replace("{}", &cents.to_string()));
    let count = |count: i64, sentence: &str| (count != 0).then(|| sentence.replace("{}", &count.to_string()));
    [
        amount(faults.trial_balance, "All entries sum to {} instead of zero."),
        amount(faults.drift, "Balances differ from their entries by {} in all."),
        count(faults.broken_heads, "Accounts whose chain is broken at its head: {}."),
        count(faults.wrong_holds, "Members who hold something else than their open withdrawal: {}."),
        count(faults.wrong_investments, "Members who have something else invested than their open trades: {}."),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Looks at every entry, and keeps what it saw.
///
/// # Errors
/// The database's.
pub(crate) async fn look(conn: &mut PgConnection) -> Result<BookCheck, Error> {
    let checked_at = clock::now(conn).await?;
    let faults = accounts::faults(conn).await?;
    let (trial_balance, drift, complaints) = (faults.trial_balance, faults.drift, complaints(&faults));
    let check = BookCheck { checked_at, trial_balance, drift, complaints };
    book_checks::keep(conn, &check).await?;
    Ok(check)
}

/// The last look at the books, and whether it was of late.
///
/// # Errors
/// The database's.
pub(crate) async fn last_look(conn: &mut PgConnection) -> Result<Option<(BookCheck, bool)>, Error> {
    let now = clock::now(conn).await?;
    Ok(book_checks::last(conn).await?.map(|check| {
        let is_fresh = now - check.checked_at < FRESH;
        (check, is_fresh)
    }))
}

impl Integrity {
    /// Whether nothing is wrong with the books, and somebody watches them.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.check.complaints.is_empty() && self.is_watched
    }
}

/// The sums of the books, what is wrong with them, and what waits.
///
/// # Errors
/// The database's.
pub async fn get_integrity(db: &Db) -> Result<Integrity, Error> {
    let mut conn = db.conn().await?;
    let (check, is_watched) = match last_look(&mut conn).await? {
        Some(last) => last,
        None => (look(&mut conn).await?, true),
    };
    Ok(Integrity {
        books: accounts::books(&mut conn).await?,
        check,
        is_watched,
        outbox_oldest_seconds: outbox::oldest_seconds(&mut conn).await?,
        dead_letters: outbox::parked(&mut conn).await?,
        stop: withdrawal_stops::in_force(&mut conn).await?,
    })
}
