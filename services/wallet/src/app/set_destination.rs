//! A member names the destination that their open withdrawal lacks.

use chassis::db::Db;
use uuid::Uuid;

use crate::app::lock_transaction;
use crate::domain::transaction::{Destination, Kind, MethodCopy, Status, Transaction};
use crate::error::Error;
use crate::store::transactions;

/// The method of the caller's open withdrawal that lacks a destination, to have the address checked against.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `DestinationAlreadySet`, the database's.
pub async fn method_in_need(db: &Db, user_id: Uuid, id: Uuid) -> Result<MethodCopy, Error> {
    let mut conn = db.conn().await?;
    let found = own_withdrawal(transactions::find(&mut conn, id).await?, user_id)?;
    if found.status != Status::Pending {
        return Err(Error::AlreadyDecided);
    }
    if found.destination.is_some() {
        return Err(Error::DestinationAlreadySet);
    }
    found.method.ok_or(Error::NotFound)
}

/// Sets the destination, once.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `DestinationAlreadySet`, the database's.
pub async fn set_destination(db: &Db, user_id: Uuid, id: Uuid, destination: Destination) -> Result<Transaction, Error> {
    let mut tx = db.begin().await?;
    own_withdrawal(transactions::find(&mut tx, id).await?, user_id)?;
    let mut withdrawal = lock_transaction(&mut tx, id).await?;
    withdrawal.set_destination(destination)?;
    transactions::save(&mut tx, &mut withdrawal).await?;
    tx.commit().await?;
    Ok(withdrawal)
}

fn own_withdrawal(found: Option<Transaction>, user_id: Uuid) -> Result<Transaction, Error> {
    found.filter(|one| one.user_id == user_id && one.kind == Kind::Withdrawal).ok_or(Error::NotFound)
}
