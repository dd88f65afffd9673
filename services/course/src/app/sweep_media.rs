//! Removes files of the course that nobody needs, and sources whose time is over (D-C5).

use std::collections::HashSet;

use chassis::clock;
use chassis::db::Db;
use time::Duration;

use crate::domain::media::folder;
use crate::error::Error;
use crate::objects::Objects;
use crate::store::{media, versions};

/// How long an upload may rest.
const UPLOAD_LIFE: Duration = Duration::hours(24);
/// How long a file may be in no version and no draft.
const UNUSED_LIFE: Duration = Duration::days(30);

/// Marks files as removed that are in no version and no draft, and uploads that rest. Returns how many.
///
/// # Errors
/// If the database does not answer.
pub async fn retire_media(db: &Db) -> Result<usize, Error> {
    let mut tx = db.begin().await?;
    versions::lock(&mut tx).await?;
    let now = clock::now(&mut tx).await?;
    let marked = media::mark_abandoned(&mut tx, now - UPLOAD_LIFE, now - UNUSED_LIFE, now).await?;
    tx.commit().await?;
    Ok(usize::try_from(marked).unwrap_or(usize::MAX))
}

/// Deletes the objects of removed files and what is left of sources. Returns how many files it cared for; zero if nothing was
/// left to do. It needs no rows but those of files.
///
/// # Errors
/// If the database or the store does not answer.
pub async fn sweep_media(db: &Db, objects: &Objects, source_days: u32) -> anyhow::Result<usize> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let removed = media::removed(&mut conn).await?;
    let spent = media::with_spent_chunks(&mut conn, now - Duration::days(source_days.into())).await?;
    drop(conn);
    for id in &removed {
        objects.clear_media(*id).await?;
        media::forget(&mut *db.conn().await?, *id).await?;
    }
    for id in &spent {
        objects.clear(&crate::domain::media::chunks_folder(*id)).await?;
        media::forget_chunks(&mut *db.conn().await?, *id).await?;
    }
    Ok(removed.len() + spent.len())
}

/// Deletes objects of files that there are not: of an upload whose row was lost, or of a database that was restored.
/// Returns how many files that were.
///
/// # Errors
/// If the database or the store does not answer.
pub async fn sweep_objects(db: &Db, objects: &Objects) -> anyhow::Result<usize> {
    let stored = objects.media().await?;
    // Rows come before objects: what is stored now and has no row afterwards never had one, or has one no more.
    let known: HashSet<_> = media::known(&mut *db.conn().await?, &stored).await?.into_iter().collect();
    let mut found = 0;
    for id in stored.into_iter().filter(|id| !known.contains(id)) {
        // A store on disk also names folders in which nothing is left.
        if objects.clear_media(id).await? > 0 {
            tracing::info!(folder = folder(id), "deleted a file without a row");
            found += 1;
        }
    }
    Ok(found)
}
