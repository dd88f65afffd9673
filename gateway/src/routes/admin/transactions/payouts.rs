//! Payouts of withdrawals.

use axum::extract::Path;
use proto::wallet::v1::{LeasePayoutRequest, MarkWithdrawalPaidRequest, PayoutOutcome, ProposePayoutCorrectionRequest};
use route_macros::{post, request, response};

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{from_proto, non_empty, required};
use crate::http::error::ApiError;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Field, Form, ToProto};
use crate::peers::clients::{Service, keyed};
use crate::routes::admin::proposals::Proposed;
use crate::routes::money::transactions::TransactionMade;

/// What became of a payout that was sent and is not final.
#[request(to = ProposePayoutCorrectionRequest)]
pub struct PayoutCorrectionRequest {
    /// `other_transaction` (with `txid`), `not_sent` (it can be paid again) or `arrived` (it is paid as it arrived).
    #[to(with = outcome)]
    #[schema(example = "not_sent")]
    outcome: Field<String>,
    /// Of the other transaction.
    txid: Field<Option<String>>,
    /// Index of its output, if it pays the destination more than once.
    vout: Field<Option<u32>>,
    /// For the audit log, 1 to 500 characters.
    note: Field<String>,
}

/// Propose what became of a payout
///
/// A payout is sent until the chain shows exactly what was fixed at its destination, for good. Where it never will, two
/// treasurers say what became of it.
#[post("/admin/transactions/{id}/correct-payout", "Back office")]
pub async fn correct_payout(
    caller: StaffMember,
    Path(transaction_id): Path<String>,
    Keyed { value, claim }: Keyed<PayoutCorrectionRequest>,
) -> Created<Proposed> {
    let message = ProposePayoutCorrectionRequest {
        transaction_id,
        client_address: caller.client.address,
        idempotency: claim,
        ..value.to_proto()?
    };
    keyed!(caller.wallet_staff.propose_payout_correction(message))?
        .reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}

fn outcome(form: &mut Form, name: &str, field: &Field<String>) -> i32 {
    let outcome = match form.text(name, field).as_str() {
        "other_transaction" => PayoutOutcome::OtherTransaction,
        "not_sent" => PayoutOutcome::NotSent,
        "arrived" => PayoutOutcome::Arrived,
        _ => PayoutOutcome::Unspecified,
    };
    outcome.into()
}

/// A payout to start.
#[request(to = LeasePayoutRequest)]
pub struct PayoutStart {
    /// The revision that was seen.
    #[schema(example = 2)]
    revision: Field<i32>,
}

/// A payout that was started.
#[response]
pub struct PayoutStarted {
    #[serde(flatten)]
    made: TransactionMade,
    /// Until when no other person can pay or reject it.
    #[nullable]
    until: Option<String>,
    /// What the transaction is now.
    revision: i32,
}

/// Start the payout of a withdrawal, or go on with it
///
/// For 15 minutes no other person can pay or reject it. From $1,000.00, a withdrawal can be marked as paid only by the
/// person who started its payout.
#[post("/admin/transactions/{id}/paying", "Back office")]
pub async fn paying(caller: StaffMember, Path(id): Path<String>, body: Keyed<PayoutStart>) -> Answer<PayoutStarted> {
    let client_address = caller.client.address;
    let message = LeasePayoutRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    let answer = keyed!(caller.wallet_staff.lease_payout(message));
    naming_payer(&caller.app, answer).await?.reply(|answer| {
        let row = required(answer.transaction, "a transaction")?;
        let until = from_proto(row.paying.as_ref().and_then(|lease| lease.until))?;
        let revision = row.revision;
        let made = TransactionMade::new(Some(row), "You are paying this withdrawal.")?;
        Ok(PayoutStarted { made, until, revision })
    })
}

/// Adds the name of the person who is paying to an error that refers to them.
pub(super) async fn naming_payer<T>(app: &App, answer: Result<T, ApiError>) -> Result<T, ApiError> {
    let error = match answer {
        Ok(answer) => return Ok(answer),
        Err(error) => error,
    };
    let Some(mut paying) = error.fact("paying").cloned() else { return Err(error) };
    let id = paying["by"].as_str().unwrap_or_default().to_owned();
    let people = app.profiles.look_up([id.clone()]).await;
    let Some(name) = people.ok().and_then(|people| people.name(&id)).and_then(non_empty) else {
        return Err(error);
    };
    let until = paying["until"].as_str().and_then(|until| until.get(11..16)).unwrap_or_default();
    let message = format!("{name} is paying this withdrawal until {until} UTC.");
    paying["byName"] = name.into();
    Err(error.with_fact(message, "paying", paying))
}

/// A payout that was made.
#[request(to = MarkWithdrawalPaidRequest)]
pub struct Payout {
    /// The revision that was seen.
    #[schema(example = 2)]
    revision: Field<i32>,
    /// Hash of the transaction on its network. Required for payments.
    txid: Field<String>,
    /// Index of the output. Without it the approval covers the whole transaction, so that its other outputs cannot pay for
    /// anything else.
    vout: Field<Option<u32>>,
    /// `evidence.at` of the checklist that was seen: if another payout to the destination has appeared since, it is 409
    /// `STALE_EVIDENCE`. One since the approval has to be this payout, no matter what was seen: otherwise it is 409 `PAYOUT_SEEN`.
    evidence_at: Field<Option<String>>,
}

/// Record the payout of a withdrawal
///
/// From $1,000.00 only by who started it. Where a node shows payouts it is sent, and still pending, until the chain shows
/// exactly what was fixed at its destination, for good.
#[post("/admin/transactions/{id}/paid", "Back office")]
pub async fn paid(caller: StaffMember, Path(id): Path<String>, body: Keyed<Payout>) -> Answer<TransactionMade> {
    let client_address = caller.client.address;
    let message = MarkWithdrawalPaidRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    let answer = keyed!(caller.wallet_staff.mark_withdrawal_paid(message));
    naming_payer(&caller.app, answer).await?.reply(|answer| TransactionMade::new(answer.transaction, "Recorded."))
}
