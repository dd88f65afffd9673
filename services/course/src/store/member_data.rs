//! What this service keeps about a member, without secrets and without what names other people.

use chassis::db::PgConnection;
use chassis::member_data::{MemberRow, PAGE, Tables};
use uuid::Uuid;

pub struct MemberTables;

impl Tables for MemberTables {
    const NAMES: &'static [&'static str] = &["progress", "certificates"];

    async fn rows(
        conn: &mut PgConnection,
        table: &str,
        user_id: Uuid,
        after: &str,
    ) -> Result<Vec<MemberRow>, sqlx::Error> {
        /// Reads the fields of a table, in the words of the download.
        macro_rules! rows {
            ($statement:literal) => {
                sqlx::query_as!(MemberRow, $statement, user_id, after, PAGE).fetch_all(conn).await
            };
        }
        match table {
            "progress" => rows!(
                r#"SELECT lesson_id AS "key!", jsonb_build_object(
                    'lessonId', lesson_id, 'positionSeconds', position_seconds, 'doneAt', done_at, 'at', at) AS "row!"
                FROM progress WHERE user_id = $1 AND lesson_id > $2 ORDER BY 1 LIMIT $3"#
            ),
            "certificates" => rows!(
                r#"SELECT number::text AS "key!", jsonb_build_object(
                    'number', number, 'courseTitle', course_title, 'issuedAt', issued_at) AS "row!"
                FROM certificates WHERE user_id = $1 AND number::text > $2 ORDER BY 1 LIMIT $3"#
            ),
            _ => Ok(Vec::new()),
        }
    }
}
