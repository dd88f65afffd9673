//! Resumes unfinished sagas: after a crash between two steps, or a lost response from wallet.

use chassis::id::TradeId;
use std::time::Duration;

use chassis::clock;
use chassis::db::Db;
use chassis::error::{Fault, Kind};
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::app::fund_trade::fund_trade;
use crate::app::settle_trade::settle_trade;
use crate::clients::Wallet;
use crate::domain::trade::Status;
use crate::error::Error;
use crate::store::trades;

/// How often due sagas are looked for.
const EVERY: Duration = Duration::from_secs(2);
/// How many are taken up at once.
const BATCH: i64 = 16;

/// Resumes what is due every two seconds, until shutdown.
///
/// # Errors
/// None: what fails is tried again.
pub async fn run(db: Db, wallet: Wallet, shutdown: CancellationToken) -> anyhow::Result<()> {
    while shutdown.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        // A full batch may have left others behind.
        while let Ok(taken) =
            resume_trades(&db, &wallet).await.inspect_err(|error| tracing::warn!(%error, "sweep failed"))
            && i64::try_from(taken).is_ok_and(|taken| taken == BATCH)
            && !shutdown.is_cancelled()
        {}
    }
    Ok(())
}

/// Takes up a batch of due sagas and drives each one step; returns how many.
///
/// # Errors
/// Only the query for due sagas fails the call. A saga that fails is logged and tried again: soon while wallet is
/// unavailable, at growing intervals when only a person can help.
pub async fn resume_trades(db: &Db, wallet: &Wallet) -> Result<usize, Error> {
    let due = trades::take_due(&mut *db.conn().await?, BATCH).await?;
    if !due.is_empty() {
        chassis::crash_point!("trade.resume.after_lease");
    }
    let steps = due.iter().map(|id| async move {
        if let Err(error) = resume(db, wallet, *id).await {
            match error.kind() {
                Kind::Internal => put_off(db, *id, &error).await,
                _ => tracing::info!(trade_id = %id, %error, "trade not completed, will retry"),
            }
        }
    });
    join_all(steps).await;
    let stuck = trades::stuck(&mut *db.conn().await?).await?;
    metrics::gauge!("trades_stuck").set(u32::try_from(stuck).unwrap_or(u32::MAX));
    let waiting = trades::waiting(&mut *db.conn().await?).await?;
    metrics::gauge!("trades_waiting_for_cash").set(u32::try_from(waiting).unwrap_or(u32::MAX));
    Ok(due.len())
}

async fn put_off(db: &Db, id: TradeId, error: &Error) {
    tracing::error!(trade_id = %id, %error, "trade cannot be completed");
    let noted = async { trades::put_off(&mut *db.conn().await?, id, &error.to_string()).await };
    if let Err(error) = noted.await {
        tracing::warn!(trade_id = %id, %error, "could not postpone the trade");
    }
}

async fn resume(db: &Db, wallet: &Wallet, id: TradeId) -> Result<(), Error> {
    let trade = {
        let mut conn = db.conn().await?;
        let now = clock::now(&mut conn).await?;
        trades::get(&mut conn, id, now).await?.ok_or(Error::TradeNotFound)?
    };
    match trade.status {
        Status::Opening => fund_trade(db, wallet, id).await.map(|_| ()),
        Status::Settling => settle_trade(db, wallet, id).await.map(|_| ()),
        Status::Open | Status::Claimed | Status::Closed | Status::Failed => Ok(()),
    }
}
