//! Returns one transaction of a member.

use chassis::id::{MemberId, TransactionId};
use std::collections::HashMap;

use chassis::batch::Batch;
use chassis::db::Db;

use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::transactions;

/// Looks lines up for many members at once.
#[derive(Clone)]
pub struct Lines(Batch<TransactionId, Option<Transaction>>);

impl Lines {
    /// Of this database. Call inside the runtime.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self(Batch::new(move |ids: Vec<TransactionId>| {
            let db = db.clone();
            async move {
                let look = async { transactions::find_all(&mut *db.conn().await?, &ids).await };
                let Ok(found) = look.await else { return Vec::new() };
                let found: HashMap<_, _> = found.into_iter().map(|one| (one.id, one)).collect();
                ids.iter().map(|id| found.get(id).cloned()).collect()
            }
        }))
    }
}

/// One of the member's transactions.
///
/// # Errors
/// `NotFound` for unknown ones and other members'.
pub async fn get_transaction(
    db: &Db,
    lines: &Lines,
    user_id: MemberId,
    id: TransactionId,
) -> Result<Transaction, Error> {
    let found = match lines.0.ask(id).await {
        Some(found) => found,
        // The look for many failed: everybody finds out alone.
        None => transactions::find(&mut *db.conn().await?, id).await?,
    };
    found.filter(|one| one.user_id == user_id).ok_or(Error::NotFound)
}
