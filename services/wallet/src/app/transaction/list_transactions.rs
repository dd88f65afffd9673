//! Lists the transactions of a member.

use chassis::db::Db;
use chassis::id::MemberId;
use chassis::page::{Listed, Page};

use crate::domain::cursor::Cursor;
use crate::domain::search::Search;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// A page of the member's transactions that are looked for, newest first, and the cursor of the next page.
pub async fn list_transactions(
    db: &Db,
    user_id: MemberId,
    search: &Search,
    page: &Page<Cursor>,
) -> Result<Listed<Transaction>, Error> {
    let conn = &mut *db.conn().await?;
    let found = if search.is_everything() {
        transactions::history(conn, user_id, page.after, page.limit()).await?
    } else {
        transactions::search_history(conn, user_id, search, page.after, page.limit()).await?
    };
    Ok(page.cut(found, Cursor::of))
}
