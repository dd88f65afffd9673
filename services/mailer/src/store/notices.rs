//! The table `notices`.

use chassis::db::{self, Db, PgConnection};
use chassis::id::UserId;
use chassis::page::Page;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::notice::{Notice, NoticeId, NoticeRequest, Read};

/// Adds the notice of an event, unless the event has added it before.
pub async fn add(
    conn: &mut PgConnection,
    event_id: Uuid,
    at: OffsetDateTime,
    notice: &NoticeRequest,
) -> Result<(), sqlx::Error> {
    let facts = serde_json::to_value(&notice.facts).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query!(
        "INSERT INTO notices (id, user_id, kind, facts, occurred_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT ON CONSTRAINT notices_pkey DO NOTHING",
        event_id,
        notice.user_id.get(),
        notice.kind.into_str(),
        facts,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The rows of a page of a member's notices of these kinds, newest first, and one more if there is a next page.
pub async fn list(
    conn: &mut PgConnection,
    user_id: UserId,
    kinds: &[String],
    page: &Page<NoticeId>,
) -> Result<Vec<Notice>, sqlx::Error> {
    let rows = sqlx::query!(
        "SELECT id, kind, facts, occurred_at, read_at FROM notices
         WHERE user_id = $1 AND id < $2 AND kind = ANY ($3) ORDER BY id DESC LIMIT $4",
        user_id.get(),
        page.after.map_or(Uuid::max(), NoticeId::get),
        kinds,
        page.limit(),
    )
    .fetch_all(conn)
    .await?;
    let mut notices = Vec::with_capacity(rows.len());
    for row in rows {
        notices.push(Notice {
            id: row.id.into(),
            kind: row
                .kind
                .parse()
                .map_err(|_| sqlx::Error::Decode(format!("no mail is called {}", row.kind).into()))?,
            facts: serde_json::from_value(row.facts).map_err(|error| sqlx::Error::Decode(error.into()))?,
            occurred_at: row.occurred_at,
            read_at: row.read_at,
        });
    }
    Ok(notices)
}

/// How many notices a member has not read, counted up to this many.
pub async fn count_unread(conn: &mut PgConnection, user_id: UserId, most: i64) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*)::int AS "count!" FROM (
            SELECT FROM notices WHERE user_id = $1 AND read_at IS NULL LIMIT $2) AS unread"#,
        user_id.get(),
        most,
    )
    .fetch_one(conn)
    .await
}

/// Notes that a member has read them.
pub async fn read(conn: &mut PgConnection, user_id: UserId, which: Read) -> Result<(), sqlx::Error> {
    let (first, last) = match which {
        Read::One(id) => (id, id),
        Read::UpTo(id) => (NoticeId::default(), id),
    };
    sqlx::query!(
        "UPDATE notices SET read_at = clock_timestamp()
         WHERE user_id = $1 AND id BETWEEN $2 AND $3 AND read_at IS NULL",
        user_id.get(),
        first.get(),
        last.get(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets notices from 180 days ago; returns how many.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM notices WHERE (user_id, id) IN (
                SELECT user_id, id FROM notices WHERE created_at < now() - interval '180 days' LIMIT 5000)"
        )
    })
    .await
}
