//! Removes what the wallet keeps about members beyond its time: the destinations of members whose account was closed long ago,
//! and receipts after their retention. The books stay (D-A12).

use std::time::Duration;

use async_trait::async_trait;
use chassis::db::{Db, PgConnection};
use chassis::erasure::Erase;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::error::Error;
use crate::store::{destinations, receipts};

/// How often receipts are looked at.
const PAUSE: Duration = Duration::from_hours(1);

/// The destinations that a member confirmed.
pub struct Destinations;

#[async_trait]
impl Erase for Destinations {
    async fn erase(&self, conn: &mut PgConnection, members: &[Uuid]) -> Result<(), sqlx::Error> {
        destinations::forget(conn, members).await
    }
}

/// Forgets receipts after so many days; the gateway then removes their files. Returns how many.
pub async fn forget_receipts(db: &Db, days: i32) -> Result<u64, Error> {
    let mut all = 0;
    loop {
        let some = receipts::sweep(&mut *db.conn().await?, days).await?;
        all += some;
        if some == 0 {
            return Ok(all);
        }
    }
}

/// Forgets them every hour until shutdown.
///
/// # Errors
/// None; as a task of a process takes it.
pub async fn run(db: Db, days: i32, shutdown: CancellationToken) -> anyhow::Result<()> {
    loop {
        match forget_receipts(&db, days).await {
            Ok(receipts) => tracing::debug!(receipts, "swept"),
            Err(error) => tracing::warn!(%error, "could not forget receipts"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}
