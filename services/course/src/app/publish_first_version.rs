//! Publishes the content that the product begins with, unless there is a version.

use std::time::Duration;

use chassis::db::Db;
use tokio_util::sync::CancellationToken;

use super::import_course::publish;
use crate::content;
use crate::domain::course::Course;
use crate::error::Error;
use crate::store::versions;

/// How long to wait for a database that is not there yet.
const PAUSE: Duration = Duration::from_secs(1);

/// Tries until it is done, then waits for the shutdown.
pub async fn run(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    let course = content::first_version()?;
    loop {
        match publish_first_version(&db, &course).await {
            Ok(()) => break,
            Err(error) => tracing::warn!(%error, "the first version of the course is not published yet"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    shutdown.cancelled().await;
    Ok(())
}

/// Does nothing if there is a version.
///
/// # Errors
/// If the database does not take it.
pub async fn publish_first_version(db: &Db, course: &Course) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    if versions::published(&mut tx).await?.is_some() {
        return Ok(());
    }
    versions::lock(&mut tx).await?;
    // Another replica may have been first.
    if versions::published(&mut tx).await?.is_none() {
        publish(&mut tx, course).await?;
    }
    tx.commit().await?;
    Ok(())
}
