//! Lists the audit log, newest first.

use chassis::audit::{self, Filter};
use chassis::db::Db;
use proto::common::v1::AuditRow;

use crate::error::Error;

/// Up to `limit` rows that match after the one the cursor names.
pub async fn list_audit_rows(
    db: &Db,
    filter: &Filter,
    cursor: Option<i64>,
    limit: i64,
) -> Result<Vec<AuditRow>, Error> {
    Ok(audit::list(&mut *db.conn().await?, filter, cursor, limit).await?)
}
