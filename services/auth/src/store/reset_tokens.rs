use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::code::{LinkPurpose, Request};
use crate::store::codes::Mailable;

pub struct NewLink<'a> {
    pub id: Uuid,
    pub user_id: UserId,
    pub purpose: LinkPurpose,
    pub ends: OffsetDateTime,
    /// Of a visitor; unset if the product sent it on its own.
    pub request: Option<Request<'a>>,
}

/// Writes a link beside those before.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewLink<'_>,
    token_hash: &[u8],
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO reset_tokens (id, user_id, purpose, token_hash, created_at, expires_at, block, is_strangers)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        new.id,
        new.user_id.get(),
        new.purpose.into_str(),
        token_hash,
        now,
        new.ends,
        new.request.map(|request| request.block),
        new.request.is_some_and(|request| request.is_strangers),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Until when the newest invitation of an account counts; `None` if there is none.
pub async fn invited_until(conn: &mut PgConnection, user_id: UserId) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT max(expires_at) FROM reset_tokens WHERE user_id = $1 AND purpose = 'invitation'",
        user_id.get()
    )
    .fetch_one(conn)
    .await
}

/// Kills the links of an account.
pub async fn supersede(conn: &mut PgConnection, user_id: UserId, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE reset_tokens SET superseded_at = $2 WHERE user_id = $1 AND consumed_at IS NULL AND superseded_at IS NULL",
        user_id.get(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whose live link this is.
pub async fn find_live(conn: &mut PgConnection, token_hash: &[u8]) -> Result<Option<UserId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT t.user_id AS "user_id: _" FROM reset_tokens t JOIN users u ON u.id = t.user_id
         WHERE t.token_hash = $1 AND t.consumed_at IS NULL AND t.superseded_at IS NULL
           AND t.expires_at > clock_timestamp() AND u.disabled_at IS NULL AND u.closed_at IS NULL"#,
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

/// How many links an account was sent since a moment because somebody from this address block asked for them.
pub async fn sent_since(
    conn: &mut PgConnection,
    user_id: UserId,
    block: &str,
    since: OffsetDateTime,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM reset_tokens WHERE user_id = $1 AND created_at > $2 AND block = $3"#,
        user_id.get(),
        since,
        block,
    )
    .fetch_one(conn)
    .await
}

/// How many links of an account can be used that strangers asked for.
pub async fn of_strangers(conn: &mut PgConnection, user_id: UserId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM reset_tokens
           WHERE user_id = $1 AND is_strangers AND consumed_at IS NULL AND superseded_at IS NULL
             AND expires_at > clock_timestamp()"#,
        user_id.get(),
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
