//! The table `risk_answers`.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use time::OffsetDateTime;

use crate::error::Error;

/// When the member answered this version.
pub async fn find(conn: &mut PgConnection, user_id: MemberId, version: i32) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT answered_at FROM risk_answers WHERE user_id = $1 AND version = $2",
        user_id.get(),
        version,
    )
    .fetch_optional(conn)
    .await?)
}

/// Keeps the first answer.
pub async fn insert(
    conn: &mut PgConnection,
    user_id: MemberId,
    version: i32,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO risk_answers (user_id, version, answered_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        user_id.get(),
        version,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
