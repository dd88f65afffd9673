//! Lists the audit log for staff.

use chassis::audit::{self, Filter};
use chassis::db::Db;
use proto::common::v1::AuditRow;

use crate::error::Error;

/// Rows of the trail that match behind a cursor, newest first, and whether there are more.
pub async fn list_audit_rows(
    db: &Db,
    filter: &Filter,
    after: Option<i64>,
    size: u16,
) -> Result<(Vec<AuditRow>, bool), Error> {
    let mut found = audit::list(&mut *db.conn().await?, filter, after, i64::from(size) + 1).await?;
    let more = found.len() > usize::from(size);
    found.truncate(usize::from(size));
    Ok((found, more))
}
