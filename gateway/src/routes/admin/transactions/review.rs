//! A transaction with everything that a decision needs.

use axum::extract::{Path, Query};
use proto::common::v1::EvidenceCheck;
use proto::wallet::v1 as wallet;
use proto::wallet::v1::{GetReviewRequest, NoteViewingRequest};
use route_macros::{get, post, response};
use serde::Deserialize;

use super::{StaffTransaction, named_by};
use crate::extract::StaffMember;
use crate::http::convert::{from_proto, non_empty};
use crate::http::error::ApiError;
use crate::http::json::{Answer, Dollars, field, ok};
use crate::peers::clients::ask;
use crate::routes::account::users::Wallet;
use crate::routes::admin::members::Entry;
use crate::routes::admin::verdicts::Blocker;
use crate::routes::money::transactions::Destination;
use crate::routes::money::transactions::model::Step;
use crate::routes::money::transactions::payments::{ChainPayment, Evidence};

/// A line of the checklist.
#[response(from = wallet::Check)]
pub struct Check {
    name: String,
    /// Whether its state is `ok`.
    ok: bool,
    /// `ok`, `warn`, `fail`, or `unknown` if nothing can be said either way.
    state: String,
    detail: String,
    transaction_ids: Vec<String>,
}

impl From<EvidenceCheck> for Check {
    fn from(check: EvidenceCheck) -> Self {
        let EvidenceCheck { name, state, detail } = check;
        Self { name, ok: state == "ok", state, detail, transaction_ids: Vec::new() }
    }
}

/// A transaction with everything that a decision needs.
#[response]
pub struct Review {
    transaction: StaffTransaction,
    checks: Vec<Check>,
    /// The member's current balances.
    #[nullable]
    wallet: Option<Wallet>,
    approved_by: Option<String>,
    approved_by_name: Option<String>,
    /// Its ledger entries, oldest first, of the member and of the platform.
    entries: Vec<Entry>,
    /// Whether it can be reversed.
    reversible: bool,
    /// Whether it paid for the course and can be refunded.
    refundable: bool,
    /// Id of the transaction that reversed or refunded it.
    reversed_by: Option<String>,
    /// Withdrawals: the earliest time of approval and payout after a change of the account.
    not_before: Option<String>,
    /// What the chain shows; missing where it is not observed.
    evidence: Option<Evidence>,
    /// Why the caller cannot approve or pay it now; empty if they can.
    blockers: Vec<Blocker>,
    /// Open or rejected payments of which the chain shows nothing: payments to their address that no transaction accounts for, the
    /// nearest in value first.
    candidates: Vec<Candidate>,
    /// Rejected payments: where they may be returned now, the destinations that the member confirmed, newest first; at most 5.
    return_to: Vec<Destination>,
    /// Rejected payments: what went back.
    returns: Vec<Step>,
}

/// A payment that a transaction may be about.
#[response(from = proto::common::v1::ChainPayment)]
pub struct Candidate {
    #[serde(flatten)]
    payment: ChainPayment,
    /// What it was worth when it arrived, in dollars.
    #[schema(value_type = f64)]
    value: Option<Dollars>,
}

/// The payment whose evidence is shown.
#[derive(Debug, Default, Deserialize)]
pub struct Chosen {
    txid: Option<String>,
    vout: Option<String>,
}

/// Get a transaction with its checklist
#[get("/admin/transactions/{id}", "Back office",
    params(("txid" = Option<String>, Query, description = "Show the evidence of this payment instead of the claimed one"), ("vout" = Option<u32>, Query, description = "Its output")))]
pub async fn get(caller: StaffMember, Path(id): Path<String>, Query(chosen): Query<Chosen>) -> Answer<Review> {
    let vout = chosen.vout.and_then(non_empty).map(|text| text.parse()).transpose();
    let vout = vout.map_err(|_| field("vout", "Please enter the index of an output."))?;
    let message = GetReviewRequest { id, txid: chosen.txid.unwrap_or_default(), vout };
    let answer = ask!(caller.wallet_staff.get_review(message))?;
    let row = answer.transaction.ok_or_else(ApiError::not_found)?;
    let people = caller.app.profiles.look_up(named_by(&row).chain([answer.approved_by.clone()])).await?;
    let of_chain = answer.evidence.iter().flat_map(|evidence| &evidence.checks).cloned().map(Check::from);
    let of_chain: Vec<_> = of_chain.collect();
    let mut checks: Vec<Check> = from_proto(answer.checks)?;
    checks.extend(of_chain);
    Ok(ok(Review {
        transaction: StaffTransaction::new(&caller.app, row, &people)?,
        checks,
        wallet: from_proto(answer.wallet)?,
        approved_by_name: people.name(&answer.approved_by),
        approved_by: from_proto(answer.approved_by)?,
        entries: from_proto(answer.entries)?,
        reversible: answer.reversible,
        refundable: answer.refundable,
        reversed_by: from_proto(answer.reversed_by)?,
        not_before: from_proto(answer.not_before)?,
        evidence: from_proto(answer.evidence)?,
        blockers: from_proto(answer.blockers)?,
        candidates: from_proto(answer.candidates)?,
        return_to: from_proto(answer.return_to)?,
        returns: from_proto(answer.returns)?,
    }))
}

/// A staff member.
#[response]
pub struct Viewer {
    id: String,
    name: String,
}

/// The other staff members who have the transaction open.
#[response]
pub struct Viewers {
    message: &'static str,
    viewers: Vec<Viewer>,
}

/// Report presence on a transaction
///
/// Returns the other staff members who view it. Counts for 20 seconds, so the page repeats it while it is open.
#[post("/admin/transactions/{id}/viewing", "Back office")]
pub async fn viewing(caller: StaffMember, Path(id): Path<String>) -> Answer<Viewers> {
    let message = NoteViewingRequest { transaction_id: id };
    let ids = ask!(caller.wallet_staff.note_viewing(message))?.viewer_ids;
    let people = caller.app.profiles.look_up(ids.iter().cloned()).await?;
    let viewer = |id: String| Viewer { name: people.name(&id).unwrap_or_default(), id };
    let message = "Others see that you have this transaction open.";
    Ok(ok(Viewers { message, viewers: ids.into_iter().map(viewer).collect() }))
}
