//! A member looks at one transaction.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// One of the member's transactions.
///
/// # Errors
/// `NotFound` for unknown ones and other members', the database's.
pub async fn get_transaction(db: &Db, user_id: Uuid, id: Uuid) -> Result<Transaction, Error> {
    let mut conn = db.conn().await?;
    let found = transactions::find(&mut conn, id).await?;
    found.filter(|one| one.user_id == user_id).ok_or(Error::NotFound)
}
