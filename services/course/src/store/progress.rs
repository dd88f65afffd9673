//! The table `progress`.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use time::OffsetDateTime;

use crate::domain::progress::{Progress, Report};
use crate::error::Error;

/// A member's progress in all lessons, also in those that the published version does not have.
pub async fn list(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<Progress>, Error> {
    Ok(sqlx::query_as!(
        Progress,
        "SELECT lesson_id, position_seconds, done_at, at FROM progress WHERE user_id = $1",
        user_id.get()
    )
    .fetch_all(conn)
    .await?)
}

pub async fn get(conn: &mut PgConnection, user_id: MemberId, lesson_id: &str) -> Result<Option<Progress>, Error> {
    Ok(sqlx::query_as!(
        Progress,
        "SELECT lesson_id, position_seconds, done_at, at FROM progress WHERE user_id = $1 AND lesson_id = $2",
        user_id.get(),
        lesson_id
    )
    .fetch_optional(conn)
    .await?)
}

/// Makes the reports that may earn a certificate wait for each other until the transaction ends.
pub async fn lock(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query!("SELECT FROM pg_advisory_xact_lock(hashtext('progress'), hashtext($1::uuid::text))", user_id.get())
        .execute(conn)
        .await?;
    Ok(())
}

/// Keeps a report unless one was kept that the member's device wrote later.
pub async fn put(
    conn: &mut PgConnection,
    user_id: MemberId,
    report: &Report,
    at: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO progress (user_id, lesson_id, position_seconds, done_at, at)
         VALUES ($1, $2, $3, CASE WHEN $4 THEN $6::timestamptz END, $5)
         ON CONFLICT (user_id, lesson_id) DO UPDATE SET position_seconds = EXCLUDED.position_seconds, at = EXCLUDED.at,
            done_at = CASE WHEN $4 THEN coalesce(progress.done_at, $6) WHEN NOT $4 THEN NULL ELSE progress.done_at END
         WHERE progress.at <= EXCLUDED.at",
        user_id.get(),
        report.lesson_id,
        report.position_seconds,
        report.is_done,
        at,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets all progress of these members.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM progress WHERE user_id = ANY ($1)", members as _).execute(conn).await?;
    Ok(())
}
