//! The second half of opening a trade: wallet is asked for the money, and its answer recorded. Repeating it is harmless.

use chassis::clock;
use chassis::db::{Db, retrying};
use chassis::error::{Kind, Refusal};
use time::Duration;
use uuid::Uuid;

use crate::clients::Wallet;
use crate::domain::trade::{Status, Trade};
use crate::error::Error;
use crate::events::published;
use crate::store::trades;

/// How long a saga is left to whom it was begun by: longer than wallet may take to answer.
pub(super) const LEASE: Duration = Duration::seconds(4);
/// When a failed trade is looked at once more: no call of any driver is on its way to wallet any longer then.
const LAST_LOOK: Duration = Duration::seconds(30);

/// The open trade.
///
/// # Errors
/// What wallet refuses: the trade has failed. Unavailable if wallet does not answer, `InFlight` if the saga was taken up
/// by somebody else meanwhile: the trade is finished later. The database's.
pub async fn fund_trade(db: &Db, wallet: &Wallet, id: Uuid) -> Result<Trade, Error> {
    let trade = read(db, id).await?;
    match wallet.fund(&trade).await {
        Ok(()) => retrying(|| opened(db, &trade)).await,
        Err(refusal) if is_final(&refusal) => retrying(|| failed(db, &trade, &refusal)).await,
        Err(refusal) => Err(Error::Refused(refusal)),
    }
}

/// Whether wallet decided against the trade. Whatever else it says (away, too busy, a credential it does not trust)
/// leaves the question open.
fn is_final(refusal: &Refusal) -> bool {
    matches!(refusal.kind, Kind::Invalid | Kind::Conflict)
}

async fn opened(db: &Db, trade: &Trade) -> Result<Trade, Error> {
    let mut tx = db.begin().await?;
    if trades::opened(&mut tx, trade.id).await? {
        published::trade_opened(&mut tx, trade).await?;
        tx.commit().await?;
        return Ok(Trade { status: Status::Open, ..trade.clone() });
    }
    drop(tx);
    finished_by_another(db, trade.id).await
}

async fn failed(db: &Db, trade: &Trade, refusal: &Refusal) -> Result<Trade, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    if trades::failed(&mut tx, trade, refusal, now + LAST_LOOK).await? {
        tx.commit().await?;
        return Err(Error::Refused(refusal.clone()));
    }
    drop(tx);
    finished_by_another(db, trade.id).await
}

/// What became of a trade that somebody else took up, who may have been answered otherwise.
async fn finished_by_another(db: &Db, id: Uuid) -> Result<Trade, Error> {
    let trade = read(db, id).await?;
    match trade.status {
        Status::Opening => Err(Error::InFlight),
        Status::Failed => {
            let refusal = trades::refusal(&mut *db.conn().await?, id).await?;
            Err(refusal.map_or(Error::TradeNotOpen, Error::Refused))
        }
        _ => Ok(trade),
    }
}

async fn read(db: &Db, id: Uuid) -> Result<Trade, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    trades::get(&mut conn, id, now).await?.ok_or(Error::TradeNotFound)
}
