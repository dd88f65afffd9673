//! Searches transactions for staff.

use chassis::db::Db;

use crate::app::list_transactions::Page;
use crate::domain::cursor::Cursor;
use crate::error::Error;
use crate::store::transactions::{self, Filter};

/// Transactions that match, behind a cursor.
pub async fn list_staff_transactions(
    db: &Db,
    filter: &Filter,
    after: Option<Cursor>,
    size: u16,
) -> Result<Page, Error> {
    let mut conn = db.conn().await?;
    let found = transactions::search(&mut conn, filter, after, i64::from(size) + 1).await?;
    Ok(Page::of(found, usize::from(size)))
}
