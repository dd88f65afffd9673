//! The use cases: one per file, with one transaction each. A use case locks the member first, then the transaction it
//! decides on, then posts. The order is the same everywhere, so that they cannot deadlock.

use std::time::Duration;

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer, Claim};
use serde::Serialize;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;
use time::serde::rfc3339;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::posting;
use crate::store::{entries, transactions, withdrawal_pauses};

pub mod get_wallet;

pub mod get_terms;

pub mod get_withdrawal_state;

pub mod get_balances;

pub mod reserve_receipt;

pub mod list_daily_balances;
pub mod list_owned_receipts;

pub mod deposit_arrived;
pub mod request_deposit;

pub mod request_withdrawal;

pub mod resolve_quote;

pub mod pay_withdrawal_fee;

pub mod dissolve_payouts;
pub mod send_payouts;
pub mod set_destination;

pub mod ask_confirmation;

pub mod close_wallet;

pub mod confirm_destination;

pub mod find_known_destinations;

pub mod purchase_course;

pub mod list_transactions;

pub mod get_transaction;

pub mod get_statement;

pub mod get_year_report;

pub mod forget_expired;

pub mod fund_trade;

pub mod check_bridge;
pub mod settle_payouts;
pub mod settle_trade;
pub mod sum_claims;
pub mod take_back_deposit;
pub mod tell_consumed;

pub mod get_trade_funding;

pub mod get_times;

pub mod get_figures;

pub mod get_queue;

pub mod list_staff_transactions;

pub mod find_blockers;

pub mod check_proposal;

pub mod get_review;

pub mod match_payments;

pub mod claim_transaction;

pub mod note_viewing;

pub mod approve_transaction;

pub mod reject_transaction;

pub mod cancel_disowned;

pub mod lease_payout;

pub mod mark_withdrawal_paid;

pub mod payout_state;

pub mod get_member_wallet;

pub mod propose_correction;

pub mod propose_reversal;

pub mod propose_course_refund;

pub mod place_hold;

pub mod release_hold;

pub mod decide_proposal;

pub mod get_integrity;

pub mod check_holdings;

pub mod check_solvency;

pub mod check_ledger;

pub mod publish_liabilities;

pub mod get_liabilities;

pub mod propose_reopening;

pub mod propose_payout_correction;

pub mod propose_movement;

pub mod propose_rebuild;

pub mod get_backing;

pub mod get_treasury;

pub mod list_postings;

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
    if withdrawal_pauses::are_open(conn, check_ledger::FRESH).await? { Ok(()) } else { Err(Error::WithdrawalsStopped) }
}

/// Locks a transaction and, before it, its member.
///
/// # Errors
/// `NotFound` if there is no transaction with this id.
pub(crate) async fn lock_transaction(conn: &mut PgConnection, id: Uuid) -> Result<Transaction, Error> {
    let found = transactions::find(conn, id).await?.ok_or(Error::NotFound)?;
    posting::lock_member(conn, found.user_id).await?;
    transactions::lock(conn, id).await?.ok_or(Error::NotFound)
}
