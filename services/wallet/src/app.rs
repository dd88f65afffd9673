//! The use cases: one per file, with one transaction each. A use case locks the member first, then the transaction it
//! decides on, then posts. The order is the same everywhere, so that they cannot deadlock.

use chassis::id::TransactionId;
use std::time::Duration;

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer, Claim};
use serde::Serialize;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;
use time::serde::rfc3339;
use tokio::time::{Instant, sleep};

use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::posting;
use crate::store::{entries, member_buckets, transactions, withdrawal_pauses};

pub mod account;
pub mod correction;
pub mod course;
pub mod deposit;
pub mod ledger;
pub mod payout;
pub mod review;
pub mod trade;
pub mod transaction;
pub mod treasury;
pub mod withdrawal;

pub mod forget_expired;

/// A moment as the audit log has it: RFC 3339.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Moment(#[serde(with = "rfc3339")] pub OffsetDateTime);

/// The answer that stands under a key, looked up before another service is asked: a repetition is answered as before
/// no matter what has become of the payment method meanwhile.
///
/// # Errors
/// The refusal given before, and those of [`idempotency::answered`].
pub async fn answered_before<T: DeserializeOwned>(db: &Db, claim: Option<&Claim>) -> Result<Option<Answer<T>>, Error> {
    let Some(claim) = claim else { return Ok(None) };
    idempotency::answered(db, claim).await
}

/// How long a look at the past waits for what is being posted.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it looks meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until nothing can be posted at or before a moment any more: what is reported of it then never changes.
///
/// # Errors
/// Unavailable if that takes too long.
pub(crate) async fn wait_until_over(db: &Db, at: OffsetDateTime) -> Result<(), Error> {
    let limit = Instant::now() + PATIENCE;
    while !entries::is_over(&mut *db.conn().await?, at).await? {
        if Instant::now() >= limit {
            return Err(Refusal::unavailable().into());
        }
        sleep(PAUSE).await;
    }
    Ok(())
}

/// The reason that staff have to give, trimmed.
///
/// # Errors
/// Invalid if it is empty or longer than 500 characters.
pub(crate) fn required_note(text: &str) -> Result<String, Refusal> {
    let note = text.trim();
    if (1..=500).contains(&note.chars().count()) {
        Ok(note.to_owned())
    } else {
        Err(Refusal::field("note", "Please enter a reason of at most 500 characters."))
    }
}

/// While the ledger does not balance, or was not checked for a while, no withdrawal proceeds.
///
/// # Errors
/// `WithdrawalsStopped` while withdrawals are paused.
pub(crate) async fn check_withdrawals_open(conn: &mut PgConnection) -> Result<(), Error> {
    if withdrawal_pauses::are_open(conn, ledger::check_ledger::FRESH).await? {
        Ok(())
    } else {
        Err(Error::WithdrawalsStopped)
    }
}

/// Goes to the bucket of a transaction's member.
///
/// # Errors
/// `NotFound` if there is no transaction with this id.
pub(crate) async fn enter(conn: &mut PgConnection, id: TransactionId) -> Result<(), Error> {
    if conn.buckets() == 1 {
        return Ok(());
    }
    let one = transactions::find_anywhere(conn, id).await?.ok_or(Error::NotFound)?;
    Ok(member_buckets::enter(conn, one.user_id).await?)
}

/// Locks a transaction and, before it, its member.
///
/// # Errors
/// `NotFound` if there is no transaction with this id.
pub(crate) async fn lock_transaction(conn: &mut PgConnection, id: TransactionId) -> Result<Transaction, Error> {
    let found = transactions::find(conn, id).await?.ok_or(Error::NotFound)?;
    posting::lock_member(conn, found.user_id).await?;
    transactions::lock(conn, id).await?.ok_or(Error::NotFound)
}
