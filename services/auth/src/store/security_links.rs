use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::security_link::{LIFE, LinkId, Purpose};
use crate::domain::user::User;
use crate::store::codes::Mailable;

pub struct Link {
    /// Its id, from which its token follows.
    pub id: LinkId,
    pub user_id: UserId,
    /// The address that it was mailed to.
    pub email: String,
    pub created_at: OffsetDateTime,
}

/// Adds a link, mailed to the address that the account has in this moment; returns its id.
pub async fn insert(
    conn: &mut PgConnection,
    (user_id, email): (UserId, &str),
    purpose: Purpose,
    now: OffsetDateTime,
) -> Result<LinkId, sqlx::Error> {
    let id = LinkId::new(Uuid::new_v4());
    sqlx::query!(
        "INSERT INTO security_links (id, user_id, purpose, email, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id.get(),
        user_id.get(),
        purpose.into_str(),
        email,
        now,
        now + LIFE,
    )
    .execute(conn)
    .await?;
    Ok(id)
}

/// The link for this purpose if it works.
pub async fn find_live(conn: &mut PgConnection, id: LinkId, purpose: Purpose) -> Result<Option<Link>, sqlx::Error> {
    sqlx::query_as!(
        Link,
        "SELECT id, user_id, email, created_at FROM security_links
         WHERE id = $1 AND purpose = $2 AND consumed_at IS NULL AND superseded_at IS NULL
           AND expires_at > clock_timestamp()",
        id.get(),
        purpose.into_str(),
    )
    .fetch_optional(conn)
    .await
}

/// The oldest working link that puts this address of the account in force again.
pub async fn find_undo(conn: &mut PgConnection, user: &User, email: &str) -> Result<Option<Link>, sqlx::Error> {
    sqlx::query_as!(
        Link,
        "SELECT id, user_id, email, created_at FROM security_links
         WHERE user_id = $1 AND purpose = 'undo' AND lower(email) = lower($2) AND consumed_at IS NULL
           AND superseded_at IS NULL AND expires_at > clock_timestamp()
         ORDER BY created_at LIMIT 1",
        user.id.get(),
        email,
    )
    .fetch_optional(conn)
    .await
}

/// Uses a link up if it still works.
pub async fn consume(conn: &mut PgConnection, id: LinkId, now: OffsetDateTime) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE security_links SET consumed_at = $2
         WHERE id = $1 AND consumed_at IS NULL AND superseded_at IS NULL AND expires_at > $2",
        id.get(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Kills the links that went to other addresses of an account since a moment: anyone who reads those has lost the account.
pub async fn supersede_others(
    conn: &mut PgConnection,
    user_id: UserId,
    (email, since): (&str, OffsetDateTime),
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE security_links SET superseded_at = $4
         WHERE user_id = $1 AND lower(email) <> lower($2) AND created_at >= $3
           AND consumed_at IS NULL AND superseded_at IS NULL",
        user_id.get(),
        email,
        since,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The link if it may still be mailed.
pub async fn mailable(conn: &mut PgConnection, id: LinkId) -> Result<Option<Mailable>, sqlx::Error> {
    sqlx::query_as!(
        Mailable,
        "SELECT l.email, u.name, l.expires_at FROM security_links l JOIN users u ON u.id = l.user_id
         WHERE l.id = $1 AND l.consumed_at IS NULL AND l.superseded_at IS NULL AND l.expires_at > clock_timestamp()",
        id.get(),
    )
    .fetch_optional(conn)
    .await
}

/// Forgets links that died a week ago.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM security_links WHERE id = ANY (ARRAY(
            SELECT id FROM security_links WHERE expires_at < now() - interval '7 days' LIMIT 5000))"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
