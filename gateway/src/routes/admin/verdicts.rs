//! What the checklists of open transactions come to, and who works on which.

use axum::extract::Path;
use proto::wallet::v1 as wallet;
use proto::wallet::v1::{ClaimTransactionRequest, ListVerdictsRequest};
use route_macros::{delete, get, put, response};

use crate::clients::ask;
use crate::extract::StaffMember;
use crate::json::{Answer, moment, ok};
use crate::routes::transactions::payments::ChainPayment;

/// Why a transaction cannot go on: what the act would be refused with.
#[response]
pub struct Blocker {
    /// `approve`, `pay`, or `start`: it cannot be started, but a payment that was made can be recorded.
    act: String,
    code: String,
    message: String,
}

impl From<wallet::Blocker> for Blocker {
    fn from(one: wallet::Blocker) -> Self {
        Self { act: one.act, code: one.code, message: one.message }
    }
}

/// The final payment that proves a deposit.
#[response]
pub struct ProvenBy {
    payment: ChainPayment,
    /// `evidenceAt` of the approval.
    #[nullable]
    evidence_at: Option<String>,
}

/// What the checklist of an open transaction comes to.
#[response]
pub struct Verdict {
    transaction_id: String,
    revision: i32,
    /// Checks that need attention.
    concerns: i32,
    /// `unobserved` where no node looks, `missing` without a payment, otherwise the state of the least certain payment.
    chain_state: String,
    /// Why the caller cannot approve or pay it now.
    blockers: Vec<Blocker>,
    /// Deposits that a final payment of exactly the amount proves, with every check passed.
    proven_by: Option<ProvenBy>,
    /// The staff member who claimed it.
    claimed_by: Option<String>,
    claimed_by_name: Option<String>,
}

/// The verdicts on open transactions.
#[response]
pub struct Verdicts {
    verdicts: Vec<Verdict>,
    /// Whether there is one for every open transaction; otherwise the next request has more.
    complete: bool,
}

/// List the verdicts on open transactions
///
/// Of the 1,000 that wait the longest, with what was observed of the chains; up to 20 seconds old.
#[get("/admin/queue/verdicts", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<Verdicts> {
    let answer = ask!(caller.wallet_staff.list_verdicts(ListVerdictsRequest {}))?;
    let holders = answer.verdicts.iter().map(|one| one.claimed_by.clone()).filter(|id| !id.is_empty());
    let people = caller.app.profiles.look_up(holders).await?;
    let verdict = |one: wallet::Verdict| Verdict {
        claimed_by_name: people.get(&one.claimed_by).map(|person| person.name.clone()),
        claimed_by: Some(one.claimed_by).filter(|id| !id.is_empty()),
        transaction_id: one.transaction_id,
        revision: one.revision,
        concerns: one.concerns,
        chain_state: one.chain_state,
        blockers: one.blockers.into_iter().map(Into::into).collect(),
        proven_by: one.proven_by.map(|proof| ProvenBy {
            payment: proof.payment.unwrap_or_default().into(),
            evidence_at: moment(proof.evidence_at.as_ref()),
        }),
    };
    Ok(ok(Verdicts { verdicts: answer.verdicts.into_iter().map(verdict).collect(), complete: answer.complete }))
}

/// Who works on a transaction.
#[response]
pub struct Claimed {
    message: String,
    claimed_by: Option<String>,
}

/// Claim a transaction
///
/// For 30 minutes, unless another staff member has it: `claimedBy` names them. Others can still decide.
#[put("/admin/transactions/{id}/claim", "Back office")]
pub async fn claim(caller: StaffMember, Path(id): Path<String>) -> Answer<Claimed> {
    set(&caller, ClaimTransactionRequest { transaction_id: id, release: false }).await
}

/// Give a claim back
#[delete("/admin/transactions/{id}/claim", "Back office")]
pub async fn release(caller: StaffMember, Path(id): Path<String>) -> Answer<Claimed> {
    set(&caller, ClaimTransactionRequest { transaction_id: id, release: true }).await
}

async fn set(caller: &StaffMember, message: ClaimTransactionRequest) -> Answer<Claimed> {
    let is_release = message.release;
    let answer = ask!(caller.wallet_staff.claim_transaction(message))?;
    let claimed_by = Some(answer.claimed_by).filter(|id| !id.is_empty());
    let names = caller.app.profiles.look_up(claimed_by.clone()).await?;
    let name = claimed_by.as_ref().and_then(|id| names.get(id)).map(|person| person.name.clone()).unwrap_or_default();
    let message = match &claimed_by {
        Some(_) => format!("{name} works on this transaction."),
        None if is_release => "The transaction is free again.".to_owned(),
        None => "The claim is over.".to_owned(),
    };
    Ok(ok(Claimed { message, claimed_by }))
}
