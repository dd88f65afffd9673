//! Lists the audit log for staff.

use chassis::audit::{self, Filter};
use chassis::db::Db;
use chassis::page::{Listed, Page};
use proto::common::v1::AuditRow;

use crate::error::Error;

/// A page of the rows that match, newest first, and the cursor of the next page.
pub async fn list_audit_rows(db: &Db, filter: &Filter, page: &Page<i64>) -> Result<Listed<AuditRow>, Error> {
    Ok(audit::list(&mut *db.conn().await?, filter, page).await?)
}
