//! Returns which stored files belong to a payment or a reservation, or to a movement of the treasury.

use chassis::db::Db;

use crate::error::Error;
use crate::store::receipts;

/// Those of these files, with receipts kept for this many days after the decision.
pub async fn list_owned_receipts(db: &Db, keys: &[String], retention_days: i32) -> Result<Vec<String>, Error> {
    Ok(receipts::owned_among(&mut *db.conn().await?, keys, retention_days).await?)
}
