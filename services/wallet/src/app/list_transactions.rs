//! Lists the transactions of a member.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::cursor::Cursor;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// A page, newest first, and where the next begins.
#[derive(Debug, Clone)]
pub struct Page {
    pub transactions: Vec<Transaction>,
    /// Unset on the last page.
    pub next: Option<Cursor>,
}

impl Page {
    /// A page of `size` from what was found when asking for one more.
    #[must_use]
    pub fn of(mut transactions: Vec<Transaction>, size: usize) -> Self {
        let more = transactions.len() > size;
        transactions.truncate(size);
        let last = transactions.last().filter(|_| more);
        let next = last.map(|last| Cursor { created_at: last.created_at, id: last.id });
        Self { transactions, next }
    }
}

/// The member's transactions behind a cursor.
pub async fn list_transactions(db: &Db, user_id: Uuid, after: Option<Cursor>, size: u16) -> Result<Page, Error> {
    let mut conn = db.conn().await?;
    let found = transactions::history(&mut conn, user_id, after, i64::from(size) + 1).await?;
    Ok(Page::of(found, usize::from(size)))
}
