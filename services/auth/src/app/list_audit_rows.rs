//! ListAuditRows: lists staff actions on accounts.

use chassis::audit::{self, AuditRow, Filter};
use chassis::page::{Listed, Page};

use super::App;
use crate::error::Error;

/// A page of the rows that match, newest first, and the cursor of the next page.
pub async fn list_audit_rows(app: &App, filter: &Filter, page: &Page<i64>) -> Result<Listed<AuditRow>, Error> {
    Ok(audit::list(&mut *app.db.conn().await?, filter, page).await?)
}
