//! Notes which payments transactions of the wallet rest on (D-N6).

use chassis::db::Db;

use crate::domain::payment::Key;
use crate::error::Error;
use crate::store::consumed_payments;

/// Each with its chain.
pub async fn note_consumed(db: &Db, payments: &[(String, Key)]) -> Result<(), Error> {
    consumed_payments::note_consumed(&mut *db.conn().await?, payments).await
}
