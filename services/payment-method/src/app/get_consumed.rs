//! Returns what the payments that transactions of the wallet rest on come to (D-N1).

use chassis::db::Db;

use crate::error::Error;
use crate::store::consumed_payments::{self, ConsumedSum};

/// By chain, asset and way.
pub async fn get_consumed(db: &Db) -> Result<Vec<ConsumedSum>, Error> {
    consumed_payments::consumed(&mut *db.conn().await?).await
}
