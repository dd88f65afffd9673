//! Lists the transactions of a member.

use chassis::db::Db;
use chassis::page::{Listed, Page};
use uuid::Uuid;

use crate::domain::cursor::Cursor;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// A page of the member's transactions, newest first, and the cursor of the next page.
pub async fn list_transactions(db: &Db, user_id: Uuid, page: &Page<Cursor>) -> Result<Listed<Transaction>, Error> {
    let found = transactions::history(&mut *db.conn().await?, user_id, page.after, page.limit()).await?;
    Ok(page.cut(found, Cursor::of))
}
