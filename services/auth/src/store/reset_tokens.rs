use chassis::db::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::code::LinkPurpose;
use crate::store::codes::Mailable;

/// Writes a link in place of the one before.
pub async fn replace(
    conn: &mut PgConnection,
    id: Uuid,
    user_id: Uuid,
    purpose: LinkPurpose,
    token_hash: &[u8],
    (now, ends): (OffsetDateTime, OffsetDateTime),
) -> Result<(), sqlx::Error> {
    supersede(&mut *conn, user_id, now).await?;
    sqlx::query!(
        "INSERT INTO reset_tokens (id, user_id, purpose, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        user_id,
        purpose.as_str(),
        token_hash,
        now,
        ends,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Until when the newest invitation of an account counts; `None` if there is none.
pub async fn invited_until(conn: &mut PgConnection, user_id: Uuid) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT max(expires_at) FROM reset_tokens WHERE user_id = $1 AND purpose = 'invitation'",
        user_id
    )
    .fetch_one(conn)
    .await
}

/// Kills an account's link.
pub async fn supersede(conn: &mut PgConnection, user_id: Uuid, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE reset_tokens SET superseded_at = $2 WHERE user_id = $1 AND consumed_at IS NULL AND superseded_at IS NULL",
        user_id,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whose live link this is.
pub async fn find_live(conn: &mut PgConnection, token_hash: &[u8]) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT t.user_id FROM reset_tokens t JOIN users u ON u.id = t.user_id
         WHERE t.token_hash = $1 AND t.consumed_at IS NULL AND t.superseded_at IS NULL
           AND t.expires_at > clock_timestamp() AND u.disabled_at IS NULL AND u.closed_at IS NULL",
        token_hash,
    )
    .fetch_optional(conn)
    .await
}

/// Uses a link up if it still lives.
pub async fn consume(conn: &mut PgConnection, token_hash: &[u8], now: OffsetDateTime) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE reset_tokens SET consumed_at = $2
         WHERE token_hash = $1 AND consumed_at IS NULL AND superseded_at IS NULL AND expires_at > $2",
        token_hash,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// How many links an account was sent since a moment.
pub async fn sent_since(conn: &mut PgConnection, user_id: Uuid, since: OffsetDateTime) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM reset_tokens WHERE user_id = $1 AND created_at > $2"#,
        user_id,
        since,
    )
    .fetch_one(conn)
    .await
}

/// The link if it may still be mailed.
pub async fn mailable(conn: &mut PgConnection, id: Uuid) -> Result<Option<Mailable>, sqlx::Error> {
    sqlx::query_as!(
        Mailable,
        "SELECT u.email, u.name, t.expires_at FROM reset_tokens t JOIN users u ON u.id = t.user_id
         WHERE t.id = $1 AND t.consumed_at IS NULL AND t.superseded_at IS NULL AND t.expires_at > clock_timestamp()
           AND u.disabled_at IS NULL AND u.closed_at IS NULL",
        id,
    )
    .fetch_optional(conn)
    .await
}

/// Forgets links that died a week ago.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done =
        sqlx::query!("DELETE FROM reset_tokens WHERE expires_at < now() - interval '7 days'").execute(conn).await?;
    Ok(done.rows_affected())
}
