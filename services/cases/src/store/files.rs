//! The table `case_files`.

use chassis::db::PgConnection;
use chassis::id::MemberId;

use crate::domain::case::CaseId;
use crate::domain::file::File;

/// Bytes of all files of a member's cases.
pub async fn bytes_of(conn: &mut PgConnection, user_id: MemberId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(sum(bytes), 0)::bigint AS "bytes!" FROM case_files
         WHERE case_id IN (SELECT id FROM cases WHERE user_id = $1)"#,
        user_id.get()
    )
    .fetch_one(conn)
    .await
}

/// Adds the file of a message.
pub async fn insert(conn: &mut PgConnection, (case_id, number): (CaseId, i32), file: &File) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO case_files (key, case_id, number, content_type, bytes, digest) VALUES ($1, $2, $3, $4, $5, $6)",
        file.key,
        case_id.get(),
        number,
        file.content_type,
        file.bytes,
        file.digest
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The files of a case, with the numbers of their messages.
pub async fn of_case(conn: &mut PgConnection, case_id: CaseId) -> Result<Vec<(i32, File)>, sqlx::Error> {
    let rows = sqlx::query!(
        "SELECT number, key, content_type, bytes, digest FROM case_files WHERE case_id = $1 ORDER BY number",
        case_id.get()
    )
    .fetch_all(conn)
    .await?;
    let file = |key, content_type, bytes, digest| File { key, content_type, bytes, digest };
    Ok(rows.into_iter().map(|row| (row.number, file(row.key, row.content_type, row.bytes, row.digest))).collect())
}

/// Those of these files that belong to a message.
pub async fn known_among(conn: &mut PgConnection, keys: &[String]) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!("SELECT key FROM case_files WHERE key = ANY ($1)", keys).fetch_all(conn).await
}
