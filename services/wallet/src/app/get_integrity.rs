//! Whether the books are right.

use chassis::db::Db;
use chassis::money::Cents;
use chassis::outbox;
use sqlx::PgConnection;

use crate::error::Error;
use crate::store::accounts::{self, Books, Faults};
use crate::store::withdrawal_stops::{self, Stop};

/// What the integrity report says.
#[derive(Debug, Clone)]
pub struct Integrity {
    /// The sums.
    pub books: Books,
    /// What sums cannot tell.
    pub faults: Faults,
    /// Age of the oldest event that waits.
    pub outbox_oldest_seconds: i64,
    /// Events that cannot take effect here.
    pub dead_letters: i64,
    /// Whether withdrawals are stopped.
    pub stop: Option<Stop>,
}

/// What is wrong with the books, a sentence each; nothing when they are right.
#[must_use]
pub fn complaints(books: &Books, faults: &Faults) -> Vec<String> {
    let amount =
        |cents: Cents, sentence: &str| (cents != Cents::ZERO).then(|| sentence.replace("{}", &cents.to_string()));
    let count = |count: i64, sentence: &str| (count != 0).then(|| sentence.replace("{}", &count.to_string()));
    [
        amount(books.trial_balance, "All entries sum to {} instead of zero."),
        amount(books.drift, "Balances differ from their entries by {} in all."),
        count(faults.broken_heads, "Accounts whose chain is broken at its head: {}."),
        count(faults.wrong_holds, "Members who hold something else than their open withdrawal: {}."),
        count(faults.wrong_investments, "Members who have something else invested than their open trades: {}."),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What is wrong with the books now.
///
/// # Errors
/// The database's.
pub(crate) async fn look(conn: &mut PgConnection) -> Result<Vec<String>, Error> {
    Ok(complaints(&accounts::books(conn).await?, &accounts::faults(conn).await?))
}

impl Integrity {
    /// Whether nothing is wrong with the books.
    #[must_use]
    pub fn ok(&self) -> bool {
        complaints(&self.books, &self.faults).is_empty()
    }
}

/// The sums of the books, what is wrong with them, and what waits.
///
/// # Errors
/// The database's.
pub async fn get_integrity(db: &Db) -> Result<Integrity, Error> {
    let mut conn = db.conn().await?;
    Ok(Integrity {
        books: accounts::books(&mut conn).await?,
        faults: accounts::faults(&mut conn).await?,
        outbox_oldest_seconds: outbox::oldest_seconds(&mut conn).await?,
        dead_letters: outbox::parked(&mut conn).await?,
        stop: withdrawal_stops::in_force(&mut conn).await?,
    })
}
