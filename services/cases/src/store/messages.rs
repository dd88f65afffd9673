//! The table `case_messages`.

use chassis::db::PgConnection;
use chassis::id::{MemberId, UserId};
use time::{Duration, OffsetDateTime};

use crate::domain::case::CaseId;
use crate::domain::message::{Message, Party, Text};

/// Messages of a member within the last hour.
pub async fn count_of_hour(
    conn: &mut PgConnection,
    user_id: MemberId,
    now: OffsetDateTime,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "messages!" FROM case_messages
         WHERE author = 'member' AND author_id = $1 AND created_at > $2"#,
        user_id.get(),
        now - Duration::HOUR
    )
    .fetch_one(conn)
    .await
}

/// The messages of a case, in order.
pub async fn list(conn: &mut PgConnection, case_id: CaseId) -> Result<Vec<Message>, sqlx::Error> {
    sqlx::query_as!(
        Message,
        r#"SELECT number, author AS "author: Party", author_id, text, created_at FROM case_messages
         WHERE case_id = $1 ORDER BY number"#,
        case_id.get()
    )
    .fetch_all(conn)
    .await
}

pub async fn insert(
    conn: &mut PgConnection,
    (case_id, number): (CaseId, i32),
    (author, author_id): (Party, UserId),
    text: &Text,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO case_messages (case_id, number, author, author_id, text, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        case_id.get(),
        number,
        author as Party,
        author_id.get(),
        text.as_str(),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
