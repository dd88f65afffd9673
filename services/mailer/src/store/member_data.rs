//! What this service keeps about a member, without secrets and without what names other people.

use chassis::db::PgConnection;
use chassis::member_data::{MemberRow, PAGE, Tables};
use uuid::Uuid;

pub struct MemberTables;

impl Tables for MemberTables {
    const NAMES: &'static [&'static str] = &["emails"];

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
            "emails" => rows!(
                r#"SELECT id::text AS "key!", jsonb_build_object(
                    'template', template, 'address', address, 'facts', params, 'status', status, 'createdAt',
                    created_at, 'endedAt', ended_at) AS "row!"
                FROM mails WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#
            ),
            _ => Ok(Vec::new()),
        }
    }
}
