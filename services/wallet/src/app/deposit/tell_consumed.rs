//! Reports to payment-method which payments are consumed, so that it reports when they do not count any more (D-N6), and both
//! have the same sums (D-N1).

use chassis::clock;
use chassis::db::Db;
use chassis::page;

use crate::clients::Chains;
use crate::error::Error;
use crate::store::consumed_payments;

/// Reports a page of them, and returns how many.
///
/// # Errors
/// Unavailable if payment-method cannot be reached.
pub async fn tell_consumed(db: &Db, chains: &Chains) -> Result<usize, Error> {
    let untold = consumed_payments::untold(&mut *db.conn().await?, page::LARGEST.into()).await?;
    if !untold.is_empty() {
        chains.note_consumed(&untold).await?;
        let mut conn = db.conn().await?;
        let now = clock::now(&mut conn).await?;
        consumed_payments::note_told(&mut conn, &untold, now).await?;
    }
    Ok(untold.len())
}
