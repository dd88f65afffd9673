//! What happens to closed accounts later (D-A12): after 30 days their address is free, and after the retention their personal
//! data is removed.

use std::time::Duration;

use chassis::sweep::every;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::Error;
use crate::store::closed_accounts;

/// Looks every ten minutes until shutdown.
pub async fn run(app: &App, shutdown: CancellationToken) {
    every(Duration::from_mins(10), "closed accounts", shutdown, || erase_closed(app)).await;
}

/// Works on some that are due; returns how many. One process does so at a time, so that the removals are listed in the order
/// in which they were committed.
pub async fn erase_closed(app: &App) -> Result<u64, Error> {
    let mut tx = app.db.begin().await?;
    if !closed_accounts::lead(&mut tx).await? {
        return Ok(0);
    }
    let freed = closed_accounts::free_addresses(&mut tx).await?;
    let due = closed_accounts::due(&mut tx, app.retention_days).await?;
    if !due.is_empty() {
        closed_accounts::erase(&mut tx, &due).await?;
    }
    tx.commit().await?;
    Ok(freed + u64::try_from(due.len()).unwrap_or(u64::MAX))
}
