//! The second half of ending a trade: wallet pays the decided amount and the trade ends. Idempotent.

use chassis::clock;
use chassis::db::{Db, retrying};
use chassis::error::Kind;
use uuid::Uuid;

use crate::clients::Wallet;
use crate::domain::trade::{Settlement, Trade};
use crate::error::Error;
use crate::events::published;
use crate::store::trades;

/// The ended trade.
///
/// # Errors
/// Unavailable if wallet does not answer: it is asked again later. `Contract` if it says what its contract rules out.
pub async fn settle_trade(db: &Db, wallet: &Wallet, id: Uuid) -> Result<Trade, Error> {
    let trade = read(db, id).await?;
    let settlement = trade.settlement.ok_or(Error::TradeNotOpen)?;
    wallet.settle(&trade, settlement.value).await.map_err(|refusal| match refusal.kind {
        Kind::Unavailable | Kind::RateLimited => Error::Refused(refusal),
        _ => Error::Contract(refusal),
    })?;
    chassis::crash_point!("trade.settle.after_wallet");
    retrying(|| ended(db, &trade, settlement)).await?;
    read(db, id).await
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

async fn read(db: &Db, id: Uuid) -> Result<Trade, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    trades::get(&mut conn, id, now).await?.ok_or(Error::TradeNotFound)
}
