//! Whether the books are right.

use chassis::db::Db;
use chassis::money::Cents;
use chassis::outbox;

use crate::error::Error;
use crate::store::accounts::{self, Books};
use crate::store::withdrawal_gate;

/// What the integrity report says.
#[derive(Debug, Clone)]
pub struct Integrity {
    /// The sums.
    pub books: Books,
    /// Age of the oldest event that waits.
    pub outbox_oldest_seconds: i64,
    /// Events that cannot take effect here.
    pub dead_letters: i64,
}

impl Integrity {
    /// Whether all entries sum to zero, every balance is what its entries say, and what is held is what is open.
    #[must_use]
    pub fn ok(&self) -> bool {
        let books = &self.books;
        books.trial_balance == Cents::ZERO && books.drift == Cents::ZERO && books.held == books.open_withdrawals
    }
}

/// The sums of the books, and what waits.
///
/// # Errors
/// The database's.
pub async fn get_integrity(db: &Db) -> Result<Integrity, Error> {
    let mut conn = db.conn().await?;
    Ok(Integrity {
        books: accounts::books(&mut conn).await?,
        outbox_oldest_seconds: outbox::oldest_seconds(&mut conn).await?,
        dead_letters: outbox::parked(&mut conn).await?,
    })
}

/// Looks at the books and closes withdrawals when they are wrong. Returns whether they are right.
///
/// # Errors
/// The database's.
pub async fn guard_withdrawals(db: &Db) -> Result<bool, Error> {
    let integrity = get_integrity(db).await?;
    if !integrity.ok() {
        let mut conn = db.conn().await?;
        if withdrawal_gate::close(&mut conn, &format!("{:?}", integrity.books)).await? {
            tracing::error!(books = ?integrity.books, "the books do not add up: withdrawals are closed");
        }
    }
    Ok(integrity.ok())
}
