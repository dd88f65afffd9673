//! The table `captions`.

use chassis::db::PgConnection;

use crate::domain::media::{Captions, MediaId};
use crate::error::Error;

/// The captions of a video, without their texts.
pub async fn list(conn: &mut PgConnection, media: MediaId) -> Result<Vec<Captions>, Error> {
    Ok(sqlx::query_as!(
        Captions,
        "SELECT language, label FROM captions WHERE media = $1 ORDER BY language",
        media.get()
    )
    .fetch_all(conn)
    .await?)
}

/// The captions of the newest files, without their texts.
pub async fn of_newest(conn: &mut PgConnection) -> Result<Vec<(MediaId, Captions)>, Error> {
    let rows = sqlx::query!(
        "SELECT media, language, label FROM captions
         WHERE media IN (SELECT id FROM media WHERE state <> 'removed' ORDER BY created_at DESC LIMIT 200)
         ORDER BY media, language"
    )
    .fetch_all(conn)
    .await?;
    let captions = |language, label| Captions { language, label };
    Ok(rows.into_iter().map(|row| (row.media.into(), captions(row.language, row.label))).collect())
}

pub async fn vtt(conn: &mut PgConnection, media: MediaId, language: &str) -> Result<Option<String>, Error> {
    let found =
        sqlx::query_scalar!("SELECT vtt FROM captions WHERE media = $1 AND language = $2", media.get(), language);
    Ok(found.fetch_optional(conn).await?)
}

pub async fn put(conn: &mut PgConnection, media: MediaId, captions: &Captions, vtt: &str) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO captions (media, language, label, vtt) VALUES ($1, $2, $3, $4)
         ON CONFLICT (media, language) DO UPDATE SET label = EXCLUDED.label, vtt = EXCLUDED.vtt",
        media.get(),
        captions.language,
        captions.label,
        vtt
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns whether there were any.
pub async fn remove(conn: &mut PgConnection, media: MediaId, language: &str) -> Result<bool, Error> {
    let done = sqlx::query!("DELETE FROM captions WHERE media = $1 AND language = $2", media.get(), language);
    Ok(done.execute(conn).await?.rows_affected() > 0)
}
