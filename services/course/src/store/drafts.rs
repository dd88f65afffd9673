//! The table `drafts`.

use chassis::db::PgConnection;
use chassis::id::StaffId;
use serde_json::Value;
use time::OffsetDateTime;

use crate::domain::draft::Draft;
use crate::error::Error;

struct Row {
    revision: i32,
    course: Option<Value>,
    changed_by: StaffId,
    changed_at: OffsetDateTime,
}

impl TryFrom<Row> for Draft {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        Ok(Self {
            revision: row.revision,
            course: row.course.map(serde_json::from_value).transpose()?,
            changed_by: row.changed_by,
            changed_at: row.changed_at,
        })
    }
}

/// The draft, or what is left of the last one.
pub async fn get(conn: &mut PgConnection) -> Result<Option<Draft>, Error> {
    let row = sqlx::query_as!(Row, "SELECT revision, course, changed_by, changed_at FROM drafts")
        .fetch_optional(conn)
        .await?;
    row.map(Draft::try_from).transpose()
}

/// Replaces the draft; the caller holds the lock of versions.
pub async fn put(conn: &mut PgConnection, draft: &Draft) -> Result<(), Error> {
    let course = draft.course.as_ref().map(serde_json::to_value).transpose()?;
    sqlx::query!(
        "INSERT INTO drafts (revision, course, changed_by, changed_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (is_only) DO UPDATE SET revision = EXCLUDED.revision,
            course = EXCLUDED.course, changed_by = EXCLUDED.changed_by, changed_at = EXCLUDED.changed_at",
        draft.revision,
        course,
        draft.changed_by.get(),
        draft.changed_at
    )
    .execute(conn)
    .await?;
    Ok(())
}
