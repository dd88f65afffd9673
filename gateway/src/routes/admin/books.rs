//! The consistency of the ledger, and withdrawals that were paused because of it.

use axum::extract::Path;
use proto::wallet::v1 as wallet;
use route_macros::{get, post, request, response};

use crate::extract::StaffMember;
use crate::http::error::ApiError;
use crate::http::idempotency::{Key, Keyed};
use crate::http::json::{Answer, Created, Dollars, Field, reply};
use crate::http::names::FaultSubject;
use crate::peers::clients::{Service, ask, keyed};
use crate::routes::admin::proposals::Proposed;
use crate::routes::admin::treasury::Solvency;

/// What is owed to members, in dollars.
#[response(from = wallet::GetIntegrityResponse)]
pub struct Liabilities {
    available: Dollars,
    held: Dollars,
    invested: Dollars,
    bonus: Dollars,
    /// Held by staff.
    on_hold: Dollars,
    #[from(self, with = total)]
    total: Dollars,
}

/// Whether withdrawals are paused because the ledger was inconsistent.
#[response(from = wallet::GetIntegrityResponse)]
pub struct Withdrawals {
    #[from(withdrawals_stopped)]
    stopped: bool,
    #[from(stopped_at)]
    #[nullable]
    since: Option<String>,
    /// The inconsistency that paused them.
    #[from(stop_reason)]
    #[nullable]
    reason: Option<String>,
}

/// A part of the ledger that failed verification.
#[response(from = wallet::LedgerFault)]
pub struct Fault {
    #[schema(value_type = FaultSubject)]
    subject: String,
    subject_id: String,
    /// What is wrong, as a sentence.
    detail: String,
    #[nullable]
    found_at: Option<String>,
}

/// The result of the latest verification of the ledger.
#[response(from = wallet::GetIntegrityResponse)]
pub struct Integrity {
    /// Sum of all balances in dollars; 0 if the ledger is consistent.
    trial_balance: Dollars,
    /// Sum in dollars of the differences between accounts and their entries; 0 if the ledger is consistent.
    drift: Dollars,
    #[from(self)]
    liabilities: Liabilities,
    /// What members owe in dollars since payments were reversed. Not part of the liabilities.
    owed: Dollars,
    /// What the platform holds in dollars, according to the ledger.
    holdings: Dollars,
    /// Of the house's investment pool, in dollars. Zero: gains come from the cash of their plan.
    pool: Dollars,
    /// What is owed to members beside what is held for them.
    #[from(default)]
    solvency: Solvency,
    outbox_oldest_seconds: i64,
    dead_letters: i64,
    #[from(self)]
    withdrawals: Withdrawals,
    /// When the last complete check of new postings ended. Missing if the ledger was never checked.
    #[nullable]
    checked_at: Option<String>,
    /// When everything was last verified from the first entry.
    #[from(walked_at)]
    #[nullable]
    fully_checked_at: Option<String>,
    /// The parts that failed verification, oldest first, at most 100.
    faults: Vec<Fault>,
    ok: bool,
}

/// Check the books
#[get("/admin/integrity", "Back office")]
pub async fn integrity(caller: StaffMember) -> Answer<Integrity> {
    let message = wallet::GetIntegrityRequest {};
    reply(ask!(caller.wallet_staff.get_integrity(message))?)
}

fn total(books: &wallet::GetIntegrityResponse) -> Dollars {
    let parts = [books.held_cents, books.invested_cents, books.bonus_cents, books.on_hold_cents];
    Dollars::from_cents(parts.into_iter().fold(books.available_cents, i64::saturating_add))
}

/// Propose to open withdrawals again
///
/// After they stopped by themselves. A treasurer or admin other than the proposer confirms, once the books add up.
#[post("/admin/withdrawals/reopen", "Back office")]
pub async fn reopen(caller: StaffMember, key: Key) -> Created<Proposed> {
    let message =
        wallet::ProposeReopeningRequest { client_address: caller.client.address, idempotency: key.bodyless() };
    keyed!(caller.wallet_staff.propose_reopening(message))?
        .reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}

/// The reason to rebuild an account.
#[request]
pub struct Rebuild {
    /// For the audit log; 1 to 500 characters.
    #[schema(example = "A disk error changed the stored balance")]
    note: Field<String>,
}

/// Propose to rebuild an account from its entries
///
/// The balance, count and head that the account stores are computed from its entries again. Only for an account that the
/// integrity report names; another treasurer confirms.
#[post("/admin/ledger/accounts/{id}/rebuild", "Back office")]
pub async fn rebuild(caller: StaffMember, Path(account_id): Path<String>, body: Keyed<Rebuild>) -> Created<Proposed> {
    let message = wallet::ProposeRebuildRequest {
        account_id: account_id.parse().map_err(|_| ApiError::not_found())?,
        note: body.value.note.text("note")?,
        client_address: caller.client.address,
        idempotency: body.claim,
    };
    keyed!(caller.wallet_staff.propose_rebuild(message))?
        .reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}
