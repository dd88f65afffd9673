//! A member takes back a deposit or course payment that nothing was seen of (D-M5).

use chassis::audit;
use chassis::clock;
use chassis::db::Db;
use chassis::id::{MemberId, TransactionId};
use serde_json::json;

use crate::app::lock_transaction;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::events::published;
use crate::store::transactions;

/// Ends the member's pending payment. What the chain shows was asked before: a payment that arrives later is listed for staff
/// among those that nobody claims.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `PaymentSeen`.
pub async fn take_back_deposit(
    db: &Db,
    user_id: MemberId,
    id: TransactionId,
    is_seen: bool,
) -> Result<Transaction, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let found = transactions::find(&mut tx, id).await?;
    found.filter(|one| one.user_id == user_id).ok_or(Error::NotFound)?;
    let mut deposit = lock_transaction(&mut tx, id).await?;
    if deposit.take_back(is_seen, now)? {
        transactions::save(&mut tx, &mut deposit).await?;
        published::deposit_taken_back(&deposit).enqueue(&mut tx).await?;
        let after = json!({ "status": deposit.status, "userId": user_id, "cause": deposit.reason_code });
        audit::append_own(&mut tx, "deposit.take_back", &id.to_string(), after).await?;
    }
    tx.commit().await?;
    Ok(deposit)
}
