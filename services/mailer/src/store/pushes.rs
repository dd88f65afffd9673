//! The table `pushes`: the notices on their way to devices.

use chassis::id::SessionId;
use std::time::Duration;

use chassis::db::{self, Db, PgConnection};

use crate::domain::notice::{Facts, NoticeId, NoticeRequest};
use crate::domain::template::Template;

/// Notices that wait for one device; more are read in the app.
const WAITING: i64 = 20;

/// Queues a notice for every device of its member, unless they do not want it there.
pub async fn queue(conn: &mut PgConnection, notice_id: NoticeId, notice: &NoticeRequest) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO pushes (session_id, notice_id)
         SELECT session_id, $2 FROM push_subscriptions AS device
         WHERE user_id = $1 AND renewed_at > now() - interval '30 days'
            AND NOT EXISTS (SELECT FROM notice_preferences WHERE user_id = $1 AND $3 = ANY (push_off))
            AND (SELECT count(*) FROM pushes WHERE pushes.session_id = device.session_id) < $4
         ON CONFLICT ON CONSTRAINT pushes_pkey DO NOTHING",
        notice.user_id.get(),
        notice_id.get(),
        notice.kind.optional_in().map(<&str>::from),
        WAITING,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A notice on its way to a device, leased to this process.
#[derive(Debug)]
pub struct Due {
    pub session_id: SessionId,
    pub notice_id: NoticeId,
    /// How often it was tried, this try included. Fences the lease: a later one has a higher number.
    pub tries: i32,
    pub age_seconds: i64,
    pub kind: Template,
    pub facts: Facts,
    pub is_read: bool,
    pub sealed: Vec<u8>,
    pub fingerprint: Vec<u8>,
}

/// Leases due ones. Until the lease ends, no other process sees them.
pub async fn lease(conn: &mut PgConnection, limit: usize, lease: Duration) -> Result<Vec<Due>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"WITH due AS (
            SELECT session_id, notice_id FROM pushes WHERE next_try_at <= now()
            ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
         UPDATE pushes SET tries = tries + 1, next_try_at = clock_timestamp() + make_interval(secs => $2::integer)
         FROM due
            JOIN push_subscriptions AS device ON device.session_id = due.session_id
            JOIN notices ON notices.user_id = device.user_id AND notices.id = due.notice_id
         WHERE pushes.session_id = due.session_id AND pushes.notice_id = due.notice_id
         RETURNING pushes.session_id, pushes.notice_id, pushes.tries, notices.kind, notices.facts,
            notices.read_at IS NOT NULL AS "is_read!", device.sealed, device.fingerprint,
            extract(epoch FROM clock_timestamp() - pushes.created_at)::bigint AS "age_seconds!""#,
        i64::try_from(limit).unwrap_or(i64::MAX),
        seconds(lease),
    )
    .fetch_all(conn)
    .await?;
    let mut leased = Vec::with_capacity(rows.len());
    for row in rows {
        // A newer build's notice is left to it.
        let Ok(kind) = row.kind.parse() else { continue };
        leased.push(Due {
            session_id: row.session_id.into(),
            notice_id: row.notice_id.into(),
            tries: row.tries,
            age_seconds: row.age_seconds,
            kind,
            facts: serde_json::from_value(row.facts).map_err(|error| sqlx::Error::Decode(error.into()))?,
            is_read: row.is_read,
            sealed: row.sealed,
            fingerprint: row.fingerprint,
        });
    }
    Ok(leased)
}

/// Ends one.
pub async fn end(conn: &mut PgConnection, due: &Due) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM pushes WHERE session_id = $1 AND notice_id = $2",
        due.session_id.get(),
        due.notice_id.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts one back, due after a pause.
pub async fn defer(conn: &mut PgConnection, due: &Due, pause: Duration) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE pushes SET next_try_at = clock_timestamp() + make_interval(secs => $4::integer)
         WHERE session_id = $1 AND notice_id = $2 AND tries = $3",
        due.session_id.get(),
        due.notice_id.get(),
        due.tries,
        seconds(pause),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets those that no process sends, as after notices on devices were turned off; returns how many.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM pushes WHERE (session_id, notice_id) IN (
                SELECT session_id, notice_id FROM pushes WHERE created_at < now() - interval '2 days' LIMIT 5000)"
        )
    })
    .await
}

fn seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_secs()).unwrap_or(i32::MAX)
}
