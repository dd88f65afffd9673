//! A member sets the missing destination of their open withdrawal.

use chassis::db::Db;
use chassis::id::{MemberId, TransactionId};

use crate::app::lock_transaction;
use crate::domain::transaction::{Destination, MethodCopy, Transaction};
use crate::error::Error;
use crate::store::transactions;

/// The method of the caller's open withdrawal that lacks a destination, to have the address checked against.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `DestinationAlreadySet`.
pub async fn method_in_need(db: &Db, user_id: MemberId, id: TransactionId) -> Result<MethodCopy, Error> {
    let mut conn = db.conn().await?;
    let found = own(transactions::find(&mut conn, id).await?, user_id)?;
    found.check_lacks_destination().cloned()
}

/// Sets the destination, once.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `DestinationAlreadySet`.
pub async fn set_destination(
    db: &Db,
    user_id: MemberId,
    id: TransactionId,
    destination: Destination,
) -> Result<Transaction, Error> {
    let mut tx = db.begin().await?;
    own(transactions::find(&mut tx, id).await?, user_id)?;
    let mut withdrawal = lock_transaction(&mut tx, id).await?;
    withdrawal.set_destination(destination)?;
    transactions::save(&mut tx, &mut withdrawal).await?;
    tx.commit().await?;
    Ok(withdrawal)
}

fn own(found: Option<Transaction>, user_id: MemberId) -> Result<Transaction, Error> {
    found.filter(|one| one.user_id == user_id).ok_or(Error::NotFound)
}
