//! The service trade asks what became of a call whose answer it lost.

use chassis::db::Db;
use uuid::Uuid;

use crate::error::Error;
use crate::store::trade_fundings;

/// Whether the trade was funded, and whether it was settled.
///
/// # Errors
/// The database's.
pub async fn get_trade_funding(db: &Db, trade_id: Uuid) -> Result<(bool, bool), Error> {
    let mut conn = db.conn().await?;
    let known = trade_fundings::find(&mut conn, trade_id).await?;
    let status = known.as_ref().map(|known| known.status.as_str());
    Ok((matches!(status, Some("funded" | "settled")), status == Some("settled")))
}
