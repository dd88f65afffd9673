//! Reserves space for a receipt, and the key of its payment, before the file is stored (D-V3).

use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::idempotency::Claim;

use crate::app::answered_before;
use crate::domain::limits::RECEIPTS_MOST_BYTES;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::receipts;

/// A receipt that is about to be stored.
#[derive(Debug, Clone)]
pub struct ReserveReceipt {
    pub user_id: MemberId,
    pub key: String,
    pub bytes: i64,
    /// The key of the payment it proves.
    pub claim: Option<Claim>,
}

/// What is to become of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reserved {
    /// It is to be stored under this key.
    Room(String),
    /// The payment was recorded before: nothing is to be stored.
    Answered,
}

/// Reserves room for some minutes. A repetition under the same key gets the key of the file before, so that one payment
/// stores one file however often it is sent.
///
/// # Errors
/// `ReceiptsFull`, the refusal given before under the key, Invalid if the key had another body.
pub async fn reserve_receipt(db: &Db, command: &ReserveReceipt) -> Result<Reserved, Error> {
    if command.bytes <= 0 {
        return Err(Refusal::field("receipt", "Please choose a file").into());
    }
    if answered_before::<Transaction>(db, command.claim.as_ref()).await?.is_some() {
        return Ok(Reserved::Answered);
    }
    let mut tx = db.begin().await?;
    receipts::lock_member(&mut tx, command.user_id).await?;
    if let Some(claim) = &command.claim
        && let Some(key) = receipts::reserved_under(&mut tx, claim).await?
    {
        return Ok(Reserved::Room(key));
    }
    let kept = receipts::bytes_of(&mut tx, command.user_id).await?;
    if kept.saturating_add(command.bytes) > RECEIPTS_MOST_BYTES {
        return Err(Error::ReceiptsFull);
    }
    receipts::reserve(&mut tx, command.user_id, &command.key, command.bytes, command.claim.as_ref()).await?;
    tx.commit().await?;
    chassis::crash_point!("wallet.reserve_receipt.after_commit");
    Ok(Reserved::Room(command.key.clone()))
}
