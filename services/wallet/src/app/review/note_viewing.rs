//! Records that a staff member is viewing a transaction, and returns the other viewers.

use chassis::db::Db;
use chassis::id::{StaffId, TransactionId};
use chassis::identity::Staff;

use crate::error::Error;
use crate::store::{transactions, viewings};

/// Notes it for 20 seconds. Returns the others.
///
/// # Errors
/// `NotFound` if there is no transaction with this id.
pub async fn note_viewing(db: &Db, staff: &Staff, transaction_id: TransactionId) -> Result<Vec<StaffId>, Error> {
    let mut conn = db.conn().await?;
    transactions::find(&mut conn, transaction_id).await?.ok_or(Error::NotFound)?;
    viewings::note(&mut conn, transaction_id, staff.id).await?;
    Ok(viewings::others(&mut conn, transaction_id, staff.id).await?)
}
