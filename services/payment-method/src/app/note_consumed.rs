//! Notes which payments to the platform transactions of the wallet rest on (D-N6).

use chassis::db::Db;

use crate::error::Error;
use crate::store::chain_payments;

/// By chain, hash and output.
pub async fn note_consumed(db: &Db, payments: &[(String, String, i32)]) -> Result<(), Error> {
    chain_payments::note_consumed(&mut *db.conn().await?, payments).await
}
