//! Writes one event for each trade that is open at its maturity, so that its member hears that it waits to be paid out.

use std::time::Duration;

use chassis::clock;
use chassis::db::Db;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::events::published;
use crate::store::trades;

/// How often matured trades are looked for.
const EVERY: Duration = Duration::from_secs(10);
/// How many are taken in one transaction.
const BATCH: i64 = 100;

/// Announces what has matured every ten seconds, until shutdown.
///
/// # Errors
/// None: what fails is tried again.
pub async fn run(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    while shutdown.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        // A full batch may have left others behind.
        while let Ok(taken) = announce_maturities(&db)
            .await
            .inspect_err(|error| tracing::warn!(%error, "matured trades could not be announced"))
            && i64::try_from(taken).is_ok_and(|taken| taken == BATCH)
            && !shutdown.is_cancelled()
        {}
    }
    Ok(())
}

/// Announces a batch; returns how many. A trade and its event are written together, so each is announced once.
///
/// # Errors
/// If the database fails: nothing is announced then.
pub async fn announce_maturities(db: &Db) -> Result<usize, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let matured = trades::take_matured(&mut tx, BATCH, now).await?;
    for trade in &matured {
        published::matured(&mut tx, trade).await?;
    }
    tx.commit().await?;
    Ok(matured.len())
}
