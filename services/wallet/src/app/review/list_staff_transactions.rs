//! Searches transactions for staff.

use chassis::db::Db;
use chassis::page::{Listed, Page};

use crate::domain::cursor::Cursor;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions::{self, Filter};

/// A page of the transactions that match, newest first, and the cursor of the next page.
pub async fn list_staff_transactions(
    db: &Db,
    filter: &Filter,
    page: &Page<Cursor>,
) -> Result<Listed<Transaction>, Error> {
    let found = transactions::search(&mut *db.conn().await?, filter, page.after, page.limit()).await?;
    Ok(page.cut(found, Cursor::of))
}
