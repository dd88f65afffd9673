//! The table `push_subscriptions`.

use chassis::db::{self, Db, PgConnection};
use chassis::id::{SessionId, UserId};

/// Devices of a member; the one renewed longest ago makes room.
const MOST: i64 = 10;
/// Refusals in a row that end a subscription.
const MOST_FAILURES: i32 = 10;

/// The subscription of a session.
pub struct NewSubscription<'a> {
    pub session_id: SessionId,
    pub user_id: UserId,
    /// The host of its push service.
    pub service: &'a str,
    pub fingerprint: &'a [u8],
    pub sealed: &'a [u8],
}

/// Puts it in place of what the session named before, and of the same subscription in another session.
pub async fn put(conn: &mut PgConnection, new: &NewSubscription<'_>) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE fingerprint = $1 AND session_id <> $2",
        new.fingerprint,
        new.session_id.get(),
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO push_subscriptions (session_id, user_id, service, fingerprint, sealed) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT ON CONSTRAINT push_subscriptions_pkey
         DO UPDATE SET service = excluded.service, fingerprint = excluded.fingerprint, sealed = excluded.sealed, failures = 0,
            renewed_at = clock_timestamp()",
        new.session_id.get(),
        new.user_id.get(),
        new.service,
        new.fingerprint,
        new.sealed,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE session_id IN (
            SELECT session_id FROM push_subscriptions WHERE user_id = $1 ORDER BY renewed_at DESC OFFSET $2)",
        new.user_id.get(),
        MOST,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The sealed subscription of a session.
pub async fn find(conn: &mut PgConnection, session_id: SessionId) -> Result<Option<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!("SELECT sealed FROM push_subscriptions WHERE session_id = $1", session_id.get())
        .fetch_optional(conn)
        .await
}

/// Forgets those of ended sessions, with the notices on their way.
pub async fn end(conn: &mut PgConnection, session_ids: &[SessionId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM push_subscriptions WHERE session_id = ANY ($1)", session_ids as _).execute(conn).await?;
    Ok(())
}

/// Forgets those of a member, except that of one session if it is given.
pub async fn end_all(conn: &mut PgConnection, user_id: UserId, except: Option<SessionId>) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE user_id = $1 AND session_id IS DISTINCT FROM $2",
        user_id.get(),
        except as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets one that has ended, unless the browser has named another one meanwhile.
pub async fn remove(conn: &mut PgConnection, session_id: SessionId, fingerprint: &[u8]) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM push_subscriptions WHERE session_id = $1 AND fingerprint = $2",
        session_id.get(),
        fingerprint,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that its push service took a notice.
pub async fn note_taken(conn: &mut PgConnection, session_id: SessionId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE push_subscriptions SET failures = 0, last_used_at = clock_timestamp() WHERE session_id = $1",
        session_id.get(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that its push service refused a notice, and forgets it after several.
pub async fn note_refused(conn: &mut PgConnection, session_id: SessionId) -> Result<(), sqlx::Error> {
    let failures = sqlx::query_scalar!(
        "UPDATE push_subscriptions SET failures = failures + 1 WHERE session_id = $1 RETURNING failures",
        session_id.get(),
    )
    .fetch_optional(&mut *conn)
    .await?;
    if failures.is_some_and(|failures| failures >= MOST_FAILURES) { end(conn, &[session_id]).await } else { Ok(()) }
}

/// Forgets those that were not renewed for 30 days; returns how many.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM push_subscriptions WHERE session_id IN (
                SELECT session_id FROM push_subscriptions WHERE renewed_at < now() - interval '30 days' LIMIT 5000)"
        )
    })
    .await
}
