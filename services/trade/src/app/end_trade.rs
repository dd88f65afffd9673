//! Ends a trade (D-I4), by claim or close. A saga: the end is decided and fixed at the current value, wallet pays, the
//! trade ends.

use chassis::clock;
use chassis::db::{Db, PgConnection, retrying};
use chassis::id::{MemberId, TradeId};
use chassis::idempotency::{Answer, Claim, Work};

use crate::app::fund_trade::LEASE;
use crate::app::settle_trade::settle_trade;
use crate::clients::Wallet;
use crate::domain::trade::{Ending, Status, Trade};
use crate::error::Error;
use crate::store::trades;

#[derive(Debug, Clone, Copy)]
pub(super) struct EndTrade {
    pub(super) user_id: MemberId,
    pub(super) trade_id: TradeId,
    pub(super) ending: Ending,
}

/// The ended trade, once a key. The key stands for the trade from its first transaction on.
///
/// # Errors
/// `TradeNotFound`, `TradeNotOpen`, `TradeAlreadyClosed`, `TradeInProfit`, `NotInProfit`, `InFlight`; Unavailable if
/// wallet does not answer: the trade is then finished later.
pub(super) async fn end_trade(
    db: &Db,
    wallet: &Wallet,
    command: EndTrade,
    claim: Option<Claim>,
) -> Result<Answer<Trade>, Error> {
    match retrying(|| begin(db, command, claim.clone())).await? {
        Begun::Before(answer) => Ok(*answer),
        Begun::Now(id) => {
            chassis::crash_point!("trade.end.before_settling");
            Ok(Answer { result: settle_trade(db, wallet, id).await?, replayed: None })
        }
    }
}

enum Begun {
    /// This call decided the end.
    Now(TradeId),
    /// An earlier call with the key did.
    Before(Box<Answer<Trade>>),
}

async fn begin(db: &Db, command: EndTrade, claim: Option<Claim>) -> Result<Begun, Error> {
    let mut work = Work::begin::<Error>(db, claim).await?;
    if let Some(Answer { result: id, replayed }) = work.replay::<TradeId, Error>()? {
        let now = clock::now(&mut work).await?;
        let result = trades::get(&mut work, id, now).await?.ok_or(Error::TradeNotFound)?;
        let is_decided = result.status != Status::Settling || result.cash_short_since.is_some();
        let answer = Box::new(Answer { result, replayed });
        return if is_decided { Ok(Begun::Before(answer)) } else { Err(Error::InFlight) };
    }
    let result = decide(&mut work, command).await;
    Ok(Begun::Now(work.settle(result).await?.result))
}

/// Decides under the row's lock, so that of many only one is first.
async fn decide(conn: &mut PgConnection, command: EndTrade) -> Result<TradeId, Error> {
    let now = clock::now(conn).await?;
    let trade = trades::lock(conn, command.trade_id, command.user_id, now).await?.ok_or(Error::TradeNotFound)?;
    let settlement = trade.end(command.ending)?;
    trades::settling(conn, trade.id, settlement, now + LEASE).await?;
    Ok(trade.id)
}
