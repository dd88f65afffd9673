//! The table `streams`.

use chassis::db::PgConnection;
use chassis::id::{MemberId, SessionId};
use time::{Duration, OffsetDateTime};

use crate::domain::media::{MOST_STREAMS, STREAM_LIFE};
use crate::error::Error;

/// A lesson that a member watches in a session.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    pub user_id: MemberId,
    pub session_id: SessionId,
    pub lesson_id: &'a str,
}

/// Whether the stream is known and was seen so lately that it need not be written again.
pub async fn is_fresh(conn: &mut PgConnection, stream: Stream<'_>, now: OffsetDateTime) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM streams
               WHERE user_id = $1 AND session_id = $2 AND lesson_id = $3 AND seen_at > $4) AS "found!""#,
        stream.user_id.get(),
        stream.session_id.get(),
        stream.lesson_id,
        now - Duration::seconds(5)
    );
    Ok(found.fetch_one(conn).await?)
}

/// Counts a stream as watched now, unless the member watches as many others as one may. Returns whether it was counted.
pub async fn take(conn: &mut PgConnection, stream: Stream<'_>, now: OffsetDateTime) -> Result<bool, Error> {
    sqlx::query!(
        "SELECT FROM pg_advisory_xact_lock(hashtext('streams'), hashtext($1::uuid::text))",
        stream.user_id.get()
    )
    .execute(&mut *conn)
    .await?;
    let done = sqlx::query!(
        "INSERT INTO streams (user_id, session_id, lesson_id, seen_at)
         SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM streams
                WHERE user_id = $1 AND seen_at > $5 AND (session_id, lesson_id) <> ($2, $3)) < $6
         ON CONFLICT (user_id, session_id, lesson_id) DO UPDATE SET seen_at = EXCLUDED.seen_at",
        stream.user_id.get(),
        stream.session_id.get(),
        stream.lesson_id,
        now,
        now - STREAM_LIFE,
        MOST_STREAMS
    );
    Ok(done.execute(conn).await?.rows_affected() > 0)
}

/// Forgets streams that ended. Returns how many there were, at most a thousand.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, Error> {
    let done = sqlx::query!(
        "DELETE FROM streams WHERE (user_id, session_id, lesson_id) IN (
             SELECT user_id, session_id, lesson_id FROM streams
             WHERE seen_at < now() - interval '1 minute' LIMIT 1000)"
    );
    Ok(done.execute(conn).await?.rows_affected())
}
