use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::code::{CODE_ATTEMPTS, CODE_LIFE, CodeId};
use crate::domain::security_link::LinkId;
use crate::store::codes::Mailable;

/// Makes a code in place of the one before for the same destination; returns its id.
pub async fn replace(
    conn: &mut PgConnection,
    user_id: UserId,
    destination: &[u8],
    link_id: LinkId,
    now: OffsetDateTime,
) -> Result<CodeId, sqlx::Error> {
    sqlx::query!(
        "UPDATE destination_codes SET superseded_at = $3
         WHERE user_id = $1 AND destination = $2 AND superseded_at IS NULL",
        user_id.get(),
        destination,
        now,
    )
    .execute(&mut *conn)
    .await?;
    let id = CodeId::new(Uuid::new_v4());
    sqlx::query!(
        "INSERT INTO destination_codes (id, user_id, destination, link_id, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        id.get(),
        user_id.get(),
        destination,
        link_id.get(),
        now,
        now + CODE_LIFE,
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// What an account was sent since a moment.
pub struct Sent {
    /// Codes for any destination.
    pub count: i64,
    /// When the last one for this destination was sent.
    pub last: Option<OffsetDateTime>,
}

/// How many codes an account was sent since a moment, and when the last one for a destination was.
pub async fn sent_since(
    conn: &mut PgConnection,
    user_id: UserId,
    destination: &[u8],
    since: OffsetDateTime,
) -> Result<Sent, sqlx::Error> {
    sqlx::query_as!(
        Sent,
        r#"SELECT count(*) AS "count!", max(created_at) FILTER (WHERE destination = $2) AS last
           FROM destination_codes WHERE user_id = $1 AND created_at > $3"#,
        user_id.get(),
        destination,
        since,
    )
    .fetch_one(conn)
    .await
}

/// Counts a submission on the code that lives for a destination, before anybody compares; its id. A code without
/// submissions left is not found. Must be committed before the comparison.
pub async fn count_attempt(
    conn: &mut PgConnection,
    user_id: UserId,
    destination: &[u8],
) -> Result<Option<CodeId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"UPDATE destination_codes SET attempts = attempts + 1
         WHERE user_id = $1 AND destination = $2 AND superseded_at IS NULL AND expires_at > clock_timestamp()
           AND attempts < $3
         RETURNING id AS "id: _""#,
        user_id.get(),
        destination,
        CODE_ATTEMPTS,
    )
    .fetch_optional(conn)
    .await
}

/// Uses a code up if it still lives; returns whether that is the first time.
pub async fn consume(conn: &mut PgConnection, id: CodeId) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"UPDATE destination_codes AS c SET consumed_at = coalesce(c.consumed_at, clock_timestamp())
           FROM (SELECT consumed_at IS NULL AS is_first FROM destination_codes WHERE id = $1 FOR UPDATE) AS before
           WHERE c.id = $1 AND c.superseded_at IS NULL AND c.expires_at > clock_timestamp() RETURNING before.is_first AS "first!""#,
        id.get(),
    )
    .fetch_optional(conn)
    .await
}

/// A code that may be mailed, and the link that goes with it.
pub struct MailableCode {
    /// To whom, and until when it lives.
    pub mail: Mailable,
    /// The link "This was not me".
    pub link_id: LinkId,
}

/// The code if it may still be mailed.
pub async fn mailable(conn: &mut PgConnection, id: CodeId) -> Result<Option<MailableCode>, sqlx::Error> {
    let found = sqlx::query!(
        "SELECT u.email, u.name, c.expires_at, c.link_id FROM destination_codes c JOIN users u ON u.id = c.user_id
         WHERE c.id = $1 AND c.consumed_at IS NULL AND c.superseded_at IS NULL AND c.expires_at > clock_timestamp()
           AND c.attempts < $2",
        id.get(),
        CODE_ATTEMPTS,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.map(|row| MailableCode {
        mail: Mailable { email: row.email, name: row.name, expires_at: row.expires_at },
        link_id: row.link_id.into(),
    }))
}

/// Forgets codes that died a week ago.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM destination_codes WHERE expires_at < now() - interval '7 days'")
        .execute(conn)
        .await?;
    Ok(done.rows_affected())
}
