//! Reports to wallet what the open trades of each plan cost and are worth, so that it compares what is owed with what is held.

use std::time::{Duration, Instant};

use chassis::clock;
use chassis::db::Db;
use tokio_util::sync::CancellationToken;

use crate::clients::Wallet;
use crate::error::Error;
use crate::store::open_trades;

/// How often, unless the sums take long.
const EVERY: Duration = Duration::from_secs(60);
/// The sums take at most 1/N of the time.
const SHARE: u32 = 20;

/// Reports every minute until shutdown.
///
/// # Errors
/// None: what fails is tried again.
pub async fn run(db: Db, wallet: Wallet, shutdown: CancellationToken) -> anyhow::Result<()> {
    loop {
        let began = Instant::now();
        if let Err(error) = report_plans(&db, &wallet).await {
            tracing::warn!(%error, "open trades were not reported");
        }
        let pause = EVERY.max(began.elapsed().saturating_mul(SHARE));
        if shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return Ok(());
        }
    }
}

/// Reports once.
///
/// # Errors
/// Unavailable if wallet does not answer.
pub async fn report_plans(db: &Db, wallet: &Wallet) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let plans = open_trades::of_all_plans(&mut conn, now).await?;
    drop(conn);
    Ok(wallet.report_plans(plans).await?)
}
