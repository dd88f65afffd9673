//! The table `announcements`.

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::announcement::{Announcement, AnnouncementId};

/// How many are shown at once.
const SHOWN: i64 = 5;

/// Adds one that was confirmed in this transaction.
pub async fn insert(conn: &mut PgConnection, one: &Announcement) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO announcements (id, text, published_at, ends_at) VALUES ($1, $2, $3, $4)",
        one.id.get(),
        one.text,
        one.published_at,
        one.ends_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The newest of those in force.
pub async fn in_force(conn: &mut PgConnection) -> Result<Vec<Announcement>, sqlx::Error> {
    sqlx::query_as!(
        Announcement,
        "SELECT id, text, published_at, ends_at FROM announcements
         WHERE ends_at > clock_timestamp() ORDER BY published_at DESC LIMIT $1",
        SHOWN,
    )
    .fetch_all(conn)
    .await
}

/// Ends one that is in force; its text, or `None` if there is none.
pub async fn end(
    conn: &mut PgConnection,
    id: AnnouncementId,
    now: OffsetDateTime,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "UPDATE announcements SET ends_at = $2 WHERE id = $1 AND ends_at > $2 RETURNING text",
        id.get(),
        now,
    )
    .fetch_optional(conn)
    .await
}
