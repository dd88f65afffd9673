//! The second half of ending a trade: wallet pays the decided amount and the trade ends. Idempotent.

use chassis::clock;
use chassis::db::{Db, retrying};
use chassis::error::Kind;
use chassis::id::TradeId;
use proto::common::v1::ErrorReason;

use crate::clients::Wallet;
use crate::domain::trade::{Settlement, Trade};
use crate::error::Error;
use crate::events::published;
use crate::store::trades;

/// The ended trade, or one that waits for the cash of its plan: a gain is paid once those that waited for longer are.
///
/// # Errors
/// Unavailable if wallet does not answer: it is asked again later. `Contract` if it says what its contract rules out.
pub async fn settle_trade(db: &Db, wallet: &Wallet, id: TradeId) -> Result<Trade, Error> {
    let trade = read(db, id).await?;
    let settlement = trade.settlement.ok_or(Error::TradeNotOpen)?;
    if settlement.value > trade.amount && trades::is_behind(&mut *db.conn().await?, &trade).await? {
        return wait_for_cash(db, &trade, settlement).await;
    }
    match wallet.settle(&trade, settlement.value).await {
        Ok(()) => {}
        Err(refusal) if refusal.reason() == ErrorReason::PlanCashShort => {
            return wait_for_cash(db, &trade, settlement).await;
        }
        Err(refusal) if matches!(refusal.kind, Kind::Unavailable | Kind::RateLimited) => {
            return Err(Error::Refused(refusal));
        }
        Err(refusal) => return Err(Error::Contract(refusal)),
    }
    chassis::crash_point!("trade.settle.after_wallet");
    retrying(|| ended(db, &trade, settlement)).await?;
    read(db, id).await
}

/// The member is notified once.
async fn wait_for_cash(db: &Db, trade: &Trade, settlement: Settlement) -> Result<Trade, Error> {
    let mut tx = db.begin().await?;
    if trades::wait_for_cash(&mut tx, trade.id).await? {
        published::payout_delayed(&mut tx, trade, settlement).await?;
    }
    tx.commit().await?;
    read(db, trade.id).await
}

async fn ended(db: &Db, trade: &Trade, settlement: Settlement) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    if trades::ended(&mut tx, trade.id, settlement.ending.status(), now).await? {
        published::trade_ended(&mut tx, trade, settlement).await?;
        chassis::crash_point!("trade.settle.before_commit");
        tx.commit().await?;
        chassis::crash_point!("trade.settle.after_commit");
    }
    Ok(())
}

async fn read(db: &Db, id: TradeId) -> Result<Trade, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    trades::get(&mut conn, id, now).await?.ok_or(Error::TradeNotFound)
}
