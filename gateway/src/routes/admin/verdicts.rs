//! What the checklists of open transactions come to, and who works on which.

use axum::extract::Path;
use proto::wallet::v1 as wallet;
use proto::wallet::v1::{ClaimTransactionRequest, ListVerdictsRequest};
use route_macros::{delete, get, put, response};

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::json::{Answer, ok};
use crate::peers::clients::ask;
use crate::routes::money::transactions::payments::ChainPayment;

/// Why a transaction cannot go on: what the act would be refused with.
#[response(from = wallet::Blocker)]
pub struct Blocker {
    /// `approve`, `pay`, `start`: it cannot be started, but a payment that was made can be recorded, or `hash`: a payment cannot be
    /// approved with the hash that is known of it, but with another one.
    act: String,
    code: String,
    message: String,
}

/// The final payment that proves a deposit.
#[response(from = wallet::ProvenBy)]
pub struct ProvenBy {
    #[from(default)]
    payment: ChainPayment,
    /// `evidenceAt` of the approval.
    #[nullable]
    evidence_at: Option<String>,
}

/// What the checklist of an open transaction comes to.
#[response(from = wallet::Verdict)]
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
    #[from(skip)]
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
    let people = caller.app.profiles.look_up(answer.verdicts.iter().map(|one| one.claimed_by.clone())).await?;
    let mut verdicts: Vec<Verdict> = from_proto(answer.verdicts)?;
    for verdict in &mut verdicts {
        verdict.claimed_by_name = verdict.claimed_by.as_deref().and_then(|id| people.name(id));
    }
    Ok(ok(Verdicts { verdicts, complete: answer.complete }))
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
    let claimed_by: Option<String> = from_proto(answer.claimed_by)?;
    let people = caller.app.profiles.look_up(claimed_by.clone()).await?;
    let message = match &claimed_by {
        Some(id) => format!("{} works on this transaction.", people.name(id).unwrap_or_default()),
        None if is_release => "The transaction is free again.".to_owned(),
        None => "The claim is over.".to_owned(),
    };
    Ok(ok(Claimed { message, claimed_by }))
}
