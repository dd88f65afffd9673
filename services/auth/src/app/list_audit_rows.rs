//! ListAuditRows: lists staff actions on accounts.

use chassis::audit::{self, AuditRow, Filter};

use super::App;
use crate::error::Error;

/// A page of rows that match, newest first, and the cursor of the next.
pub async fn list_audit_rows(
    app: &App,
    filter: &Filter,
    before: Option<i64>,
    size: i64,
) -> Result<(Vec<AuditRow>, Option<i64>), Error> {
    let mut rows = audit::list(&mut *app.db.conn().await?, filter, before, size + 1).await?;
    let size = usize::try_from(size).unwrap_or_default();
    let more = rows.len() > size;
    rows.truncate(size);
    let next = rows.last().filter(|_| more).map(|row| row.id);
    Ok((rows, next))
}
