//! Staff looks at what waits.

use chassis::db::Db;

use crate::error::Error;
use crate::store::transactions::{self, Waiting};

/// How many of each kind wait, and since when.
///
/// # Errors
/// The database's.
pub async fn get_queue(db: &Db) -> Result<Vec<Waiting>, Error> {
    Ok(transactions::queue(&mut *db.conn().await?).await?)
}
