use chassis::db::PgConnection;
use chassis::id::{StaffId, UserId};
use time::OffsetDateTime;
use uuid::Uuid;

/// What staff wrote about a member.
pub struct Note {
    /// Who wrote it.
    pub author_id: StaffId,
    pub at: OffsetDateTime,
    pub text: String,
}

pub async fn insert(conn: &mut PgConnection, user_id: UserId, note: &Note) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO member_notes (id, user_id, author_id, at, text) VALUES ($1, $2, $3, $4, $5)",
        Uuid::now_v7(),
        user_id.get(),
        note.author_id.get(),
        note.at,
        note.text,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The notes about a member, newest first.
pub async fn of_user(conn: &mut PgConnection, user_id: UserId) -> Result<Vec<Note>, sqlx::Error> {
    sqlx::query_as!(
        Note,
        "SELECT author_id, at, text FROM member_notes WHERE user_id = $1 ORDER BY id DESC LIMIT 200",
        user_id.get()
    )
    .fetch_all(conn)
    .await
}
