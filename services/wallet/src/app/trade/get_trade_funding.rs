//! For the service trade: returns the outcome of a call whose response was lost.

use chassis::across;
use chassis::db::Db;
use chassis::id::TradeId;

use crate::domain::trade_funding::FundingStatus;
use crate::error::Error;
use crate::store::trade_fundings;

/// Whether the trade was funded, and whether it was settled.
pub async fn get_trade_funding(db: &Db, trade_id: TradeId) -> Result<(bool, bool), Error> {
    let mut conn = db.conn().await?;
    // Its member is not named.
    let each = across!(conn, trade_fundings::find(&mut conn, trade_id));
    let known = each.into_iter().flatten().next();
    let status = known.map(|known| known.status);
    let is_settled = status == Some(FundingStatus::Settled);
    Ok((is_settled || status == Some(FundingStatus::Funded), is_settled))
}
