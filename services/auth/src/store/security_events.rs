use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;

use crate::domain::device::Device;
use crate::domain::security_event::{Kind, LIFE, SecurityEvent};

/// Adds an event of an account.
pub async fn insert(
    conn: &mut PgConnection,
    user_id: UserId,
    (kind, refused): (Kind, bool),
    device: Option<&Device>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO security_events (user_id, at, kind, refused, device, block) VALUES ($1, $2, $3, $4, $5, $6)",
        user_id.get(),
        now,
        kind.into_str(),
        refused,
        device.map_or("", |device| device.family.as_str()),
        device.map_or("", |device| device.block.as_str()),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Refused logins, passwords and second factors since the last that was right.
pub async fn refusals(conn: &mut PgConnection, user_id: UserId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM security_events WHERE user_id = $1 AND kind IN ('sign_in', 'step_up', 'password') AND refused
            AND id > coalesce((SELECT max(id) FROM security_events
                WHERE user_id = $1 AND kind IN ('sign_in', 'step_up', 'password_changed', 'password_reset')
                  AND NOT refused), 0)"#,
        user_id.get(),
    )
    .fetch_one(conn)
    .await
}

/// The events of an account before one of them, newest first, at most this many.
pub async fn of_user(
    conn: &mut PgConnection,
    user_id: UserId,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<SecurityEvent>, sqlx::Error> {
    sqlx::query_as!(
        SecurityEvent,
        "SELECT id, at, kind, refused, device, block FROM security_events
         WHERE user_id = $1 AND id < coalesce($2, 9223372036854775807) ORDER BY id DESC LIMIT $3",
        user_id.get(),
        before,
        limit,
    )
    .fetch_all(conn)
    .await
}

/// Forgets what is older than [`LIFE`].
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM security_events WHERE id = ANY (ARRAY(
            SELECT id FROM security_events WHERE at < now() - $1::int * interval '1 day' LIMIT 5000))",
        i32::try_from(LIFE.whole_days()).unwrap_or(i32::MAX),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
