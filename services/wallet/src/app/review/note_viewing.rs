//! Records that a staff member is viewing a transaction, and returns the other viewers.

use chassis::db::Db;
use chassis::identity::Staff;
use uuid::Uuid;

use crate::error::Error;
use crate::store::{transactions, viewings};

/// Notes it for 20 seconds. Returns the others.
///
/// # Errors
/// `NotFound` if there is no transaction with this id.
pub async fn note_viewing(db: &Db, staff: &Staff, transaction_id: Uuid) -> Result<Vec<Uuid>, Error> {
    let mut conn = db.conn().await?;
    transactions::find(&mut conn, transaction_id).await?.ok_or(Error::NotFound)?;
    viewings::note(&mut conn, transaction_id, staff.user_id).await?;
    Ok(viewings::others(&mut conn, transaction_id, staff.user_id).await?)
}
