//! Removes what the wallet keeps about members beyond its time: the destinations of members whose account was closed long ago,
//! and receipts after their retention. The books stay (D-A12).

use chassis::id::MemberId;
use std::time::Duration;

use async_trait::async_trait;
use chassis::db::{Db, PgConnection};
use chassis::erasure::Erase;
use chassis::sweep::every;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::store::{destinations, receipts};

/// How often expired receipts are removed.
const PAUSE: Duration = Duration::from_hours(1);

/// The destinations that a member confirmed.
pub struct Destinations;

#[async_trait]
impl Erase for Destinations {
    async fn erase(&self, conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
        destinations::forget(conn, members).await
    }
}

/// Forgets some receipts after this many days; the gateway then removes their files. Returns how many.
pub async fn forget_receipts(db: &Db, days: i32) -> Result<u64, Error> {
    Ok(receipts::sweep(&mut *db.conn().await?, days).await?)
}

/// Forgets them every hour until shutdown.
///
/// # Errors
/// None; as a task of a process takes it.
pub async fn run(db: Db, days: i32, shutdown: CancellationToken) -> anyhow::Result<()> {
    every(PAUSE, "receipts", shutdown, || forget_receipts(&db, days)).await;
    Ok(())
}
