//! The table `notes`.

use chassis::db::PgConnection;
use chassis::id::MemberId;

use crate::domain::note::{Note, NoteId, Written};
use crate::error::Error;

/// A member's notes on a lesson, in the order of their positions.
pub async fn list(conn: &mut PgConnection, user_id: MemberId, lesson_id: &str) -> Result<Vec<Note>, Error> {
    Ok(sqlx::query_as!(
        Note,
        "SELECT id, position_seconds, text, created_at, updated_at FROM notes
         WHERE user_id = $1 AND lesson_id = $2 ORDER BY position_seconds, created_at, id",
        user_id.get(),
        lesson_id
    )
    .fetch_all(conn)
    .await?)
}

/// Makes the writers of a member's notes wait for each other until the transaction ends.
pub async fn lock(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query!("SELECT FROM pg_advisory_xact_lock(hashtext('notes'), hashtext($1::uuid::text))", user_id.get())
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn count(conn: &mut PgConnection, user_id: MemberId, lesson_id: &str) -> Result<i64, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT count(*) AS "notes!" FROM notes WHERE user_id = $1 AND lesson_id = $2"#,
        user_id.get(),
        lesson_id
    );
    Ok(found.fetch_one(conn).await?)
}

pub async fn insert(conn: &mut PgConnection, user_id: MemberId, lesson_id: &str, note: &Note) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO notes (id, user_id, lesson_id, position_seconds, text, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        note.id.get(),
        user_id.get(),
        lesson_id,
        note.position_seconds,
        note.text,
        note.created_at,
        note.updated_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The note afterwards, if it is the member's on this lesson.
pub async fn change(
    conn: &mut PgConnection,
    (user_id, lesson_id, id): (MemberId, &str, NoteId),
    written: &Written,
    now: time::OffsetDateTime,
) -> Result<Option<Note>, Error> {
    Ok(sqlx::query_as!(
        Note,
        "UPDATE notes SET position_seconds = $4, text = $5, updated_at = $6
         WHERE id = $3 AND user_id = $1 AND lesson_id = $2
         RETURNING id, position_seconds, text, created_at, updated_at",
        user_id.get(),
        lesson_id,
        id.get(),
        written.position_seconds,
        written.text,
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// Returns whether it was the member's on this lesson.
pub async fn remove(conn: &mut PgConnection, user_id: MemberId, lesson_id: &str, id: NoteId) -> Result<bool, Error> {
    let done = sqlx::query!(
        "DELETE FROM notes WHERE id = $3 AND user_id = $1 AND lesson_id = $2",
        user_id.get(),
        lesson_id,
        id.get()
    );
    Ok(done.execute(conn).await?.rows_affected() > 0)
}

/// Forgets all notes of these members.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM notes WHERE user_id = ANY ($1)", members as _).execute(conn).await?;
    Ok(())
}
