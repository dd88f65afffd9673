//! Pays out principal and gain of a trade in profit, and ends it.

use chassis::db::Db;
use chassis::id::{MemberId, TradeId};
use chassis::idempotency::{Answer, Claim};

use crate::app::end_trade::{EndTrade, end_trade};
use crate::clients::Wallet;
use crate::domain::trade::{Ending, Trade};
use crate::error::Error;

/// The trade with what was paid, once a key.
///
/// # Errors
/// `TradeNotFound`, `TradeNotOpen`, `TradeAlreadyClosed`, `NotInProfit`, `InFlight`; Unavailable if wallet does not
/// answer: the trade is then finished later.
pub async fn claim_trade(
    db: &Db,
    wallet: &Wallet,
    user_id: MemberId,
    trade_id: TradeId,
    claim: Option<Claim>,
) -> Result<Answer<Trade>, Error> {
    end_trade(db, wallet, EndTrade { user_id, trade_id, ending: Ending::Claim }, claim).await
}
