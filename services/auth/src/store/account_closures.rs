//! Accounts that are being closed: a row from the owner's request until wallet has answered.

use chassis::db::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Notes that an account is to be closed, by the owner of this session; a request that is there stays.
pub async fn insert(
    conn: &mut PgConnection,
    user_id: Uuid,
    session_id: Uuid,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO account_closures (user_id, session_id, requested_at) VALUES ($1, $2, $3)
         ON CONFLICT (user_id) DO UPDATE SET session_id = $2, requested_at = $3",
        user_id,
        session_id,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes an account's row; returns the session it was requested in.
pub async fn take(conn: &mut PgConnection, user_id: Uuid) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar!("DELETE FROM account_closures WHERE user_id = $1 RETURNING session_id", user_id)
        .fetch_optional(conn)
        .await
}

/// The accounts whose closing was left unfinished: longer ago than a request takes.
pub async fn unfinished(conn: &mut PgConnection) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT user_id FROM account_closures WHERE requested_at < now() - interval '30 seconds'
         ORDER BY requested_at LIMIT 100"
    )
    .fetch_all(conn)
    .await
}
