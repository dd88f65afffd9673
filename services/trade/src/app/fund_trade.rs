//! The second half of opening a trade: calls wallet to fund it and records the response. Idempotent.

use chassis::clock;
use chassis::db::{Db, retrying};
use chassis::error::{Kind, Refusal};
use chassis::id::TradeId;
use proto::common::v1::ErrorReason;
use time::Duration;

use crate::clients::Wallet;
use crate::domain::trade::{Status, Trade};
use crate::error::Error;
use crate::events::published;
use crate::store::trades;

/// How long a saga is left to whom it was begun by: longer than wallet may take to answer.
pub(super) const LEASE: Duration = Duration::seconds(4);

/// The open trade.
///
/// # Errors
/// What wallet refuses: the trade has failed. Unavailable if wallet does not answer: it is asked again later.
/// `Contract` if it says what its contract rules out.
pub async fn fund_trade(db: &Db, wallet: &Wallet, id: TradeId) -> Result<Trade, Error> {
    let trade = read(db, id).await?;
    let funded = wallet.fund(&trade).await;
    chassis::crash_point!("trade.fund.after_wallet");
    let Err(refusal) = funded else { return retrying(|| opened(db, &trade)).await };
    match refusal.kind {
        Kind::Conflict => retrying(|| failed(db, id, &refusal)).await,
        Kind::Invalid if refusal.reason() == ErrorReason::InsufficientBalance => {
            retrying(|| failed(db, id, &refusal)).await
        }
        Kind::Unavailable | Kind::RateLimited => Err(Error::Refused(refusal)),
        _ => Err(Error::Contract(refusal)),
    }
}

async fn opened(db: &Db, trade: &Trade) -> Result<Trade, Error> {
    let mut tx = db.begin().await?;
    if trades::opened(&mut tx, trade.id).await? {
        published::trade_opened(&mut tx, trade).await?;
        chassis::crash_point!("trade.fund.before_commit");
        tx.commit().await?;
        chassis::crash_point!("trade.fund.after_commit");
        return Ok(Trade { status: Status::Open, ..trade.clone() });
    }
    drop(tx);
    finished_by_another(db, trade.id).await
}

async fn failed(db: &Db, id: TradeId, refusal: &Refusal) -> Result<Trade, Error> {
    let mut tx = db.begin().await?;
    if trades::failed(&mut tx, id, refusal).await? {
        chassis::crash_point!("trade.fund.before_refusal");
        tx.commit().await?;
        return Err(Error::Refused(refusal.clone()));
    }
    drop(tx);
    finished_by_another(db, id).await
}

/// What became of a trade that somebody else finished meanwhile.
async fn finished_by_another(db: &Db, id: TradeId) -> Result<Trade, Error> {
    let trade = read(db, id).await?;
    if trade.status != Status::Failed {
        return Ok(trade);
    }
    let refusal = trades::refusal(&mut *db.conn().await?, id).await?;
    Err(refusal.map_or(Error::TradeNotOpen, Error::Refused))
}

async fn read(db: &Db, id: TradeId) -> Result<Trade, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    trades::get(&mut conn, id, now).await?.ok_or(Error::TradeNotFound)
}
