//! The consistency of the ledger, and withdrawals that were paused because of it.

use axum::extract::Path;
use proto::wallet::v1 as wallet;
use route_macros::{get, post, request, response};

use crate::clients::{Service, ask, keyed};
use crate::error::ApiError;
use crate::extract::StaffMember;
use crate::idempotency::{Key, Keyed};
use crate::json::{Answer, Created, Dollars, Field, Form, created, marked, moment, ok};
use crate::names::FaultSubject;
use crate::routes::admin::proposals::Proposed;
use crate::routes::admin::treasury::Solvency;

/// What is owed to members, in dollars.
#[response]
pub struct Liabilities {
    available: Dollars,
    held: Dollars,
    invested: Dollars,
    bonus: Dollars,
    /// Held by staff.
    on_hold: Dollars,
    total: Dollars,
}

/// Whether withdrawals are paused because the ledger was inconsistent.
#[response]
pub struct Withdrawals {
    stopped: bool,
    #[nullable]
    since: Option<String>,
    /// The inconsistency that paused them.
    #[nullable]
    reason: Option<String>,
}

/// A part of the ledger that failed verification.
#[response]
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
#[response]
pub struct Integrity {
    /// Sum of all balances in dollars; 0 if the ledger is consistent.
    trial_balance: Dollars,
    /// Sum in dollars of the differences between accounts and their entries; 0 if the ledger is consistent.
    drift: Dollars,
    liabilities: Liabilities,
    /// What members owe in dollars since payments were reversed. Not part of the liabilities.
    owed: Dollars,
    /// What the platform holds in dollars, according to the ledger.
    holdings: Dollars,
    /// Of the house's investment pool, in dollars. Zero: gains come from the cash of their plan.
    pool: Dollars,
    /// What is owed to members beside what is held for them.
    solvency: Solvency,
    outbox_oldest_seconds: i64,
    dead_letters: i64,
    withdrawals: Withdrawals,
    /// When the last complete check of new postings ended. Missing if the ledger was never checked.
    #[nullable]
    checked_at: Option<String>,
    /// When everything was last verified from the first entry.
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
    let books = ask!(caller.wallet_staff.get_integrity(message))?;
    let total = books
        .available_cents
        .saturating_add(books.held_cents)
        .saturating_add(books.invested_cents)
        .saturating_add(books.bonus_cents)
        .saturating_add(books.on_hold_cents);
    Ok(ok(Integrity {
        trial_balance: Dollars::from_cents(books.trial_balance_cents),
        drift: Dollars::from_cents(books.drift_cents),
        liabilities: Liabilities {
            available: Dollars::from_cents(books.available_cents),
            held: Dollars::from_cents(books.held_cents),
            invested: Dollars::from_cents(books.invested_cents),
            bonus: Dollars::from_cents(books.bonus_cents),
            on_hold: Dollars::from_cents(books.on_hold_cents),
            total: Dollars::from_cents(total),
        },
        owed: Dollars::from_cents(books.owed_cents),
        holdings: Dollars::from_cents(books.holdings_cents),
        pool: Dollars::from_cents(books.pool_cents),
        solvency: books.solvency.unwrap_or_default().into(),
        outbox_oldest_seconds: books.outbox_oldest_seconds,
        dead_letters: books.dead_letters,
        withdrawals: Withdrawals {
            stopped: books.withdrawals_stopped,
            since: moment(books.stopped_at.as_ref()),
            reason: Some(books.stop_reason).filter(|reason| !reason.is_empty()),
        },
        checked_at: moment(books.checked_at.as_ref()),
        fully_checked_at: moment(books.walked_at.as_ref()),
        faults: books.faults.into_iter().map(Into::into).collect(),
        ok: books.ok,
    }))
}

/// Propose to open withdrawals again
///
/// After they stopped by themselves. A treasurer or admin other than the proposer confirms, once the books add up.
#[post("/admin/withdrawals/reopen", "Back office")]
pub async fn reopen(caller: StaffMember, key: Key) -> Created<Proposed> {
    let claim = key.bodyless();
    let message = wallet::ProposeReopeningRequest { client_address: caller.client.address, idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.wallet_staff.propose_reopening(message), claim)?;
    Ok(marked(replayed, created(Proposed::new(Service::Wallet, answer.proposal)?)))
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
    let mut form = Form::new();
    let message = wallet::ProposeRebuildRequest {
        account_id: account_id.parse().map_err(|_| ApiError::not_found())?,
        note: form.text("note", &body.value.note),
        client_address: caller.client.address,
        idempotency: body.claim.clone(),
    };
    form.finish()?;
    let (answer, replayed) = keyed!(caller.wallet_staff.propose_rebuild(message), body.claim)?;
    Ok(marked(replayed, created(Proposed::new(Service::Wallet, answer.proposal)?)))
}

impl From<wallet::LedgerFault> for Fault {
    fn from(fault: wallet::LedgerFault) -> Self {
        Self {
            found_at: moment(fault.found_at.as_ref()),
            subject: fault.subject,
            subject_id: fault.subject_id,
            detail: fault.detail,
        }
    }
}
