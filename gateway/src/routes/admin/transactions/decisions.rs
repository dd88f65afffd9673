//! Approvals, rejections and reversals.

use axum::extract::Path;
use proto::wallet::v1::{ApproveTransactionRequest, ProposeReversalRequest, RejectTransactionRequest};
use route_macros::{post, request, response};

use super::payouts::naming_payer;
use crate::extract::StaffMember;
use crate::http::convert::required;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Field, ToProto};
use crate::http::names::RejectionReason;
use crate::peers::clients::{Service, keyed};
use crate::routes::admin::members::NoteRequest;
use crate::routes::admin::proposals::Proposed;
use crate::routes::money::transactions::TransactionMade;

/// The decision to approve a transaction.
#[request(to = ApproveTransactionRequest)]
pub struct Approval {
    /// The revision that was seen.
    #[schema(example = 1)]
    revision: Field<i32>,
    /// The amount that arrived, in dollars. Deposits require it; of the course and fees it is the price by default. A payment for
    /// the course that is less than its price is added to the balance, and so is what is more.
    received_amount: Field<Option<f64>>,
    /// Hash of the transaction on its network. Required for payments.
    txid: Field<Option<String>>,
    /// Index of the output. Without it, the only payment that the chain shows is meant; where the chain is not observed, the whole
    /// transaction, so that its other outputs cannot pay for anything else.
    vout: Field<Option<u32>>,
    /// Indexes of several outputs, instead of `vout`.
    outputs: Field<Option<Vec<u32>>>,
    note: Field<Option<String>>,
    /// `evidence.at` of the checklist that was seen: if a payment on the chain changed since, it is 409 `STALE_EVIDENCE`.
    evidence_at: Field<Option<String>>,
}

/// The result of an approval.
#[response]
pub struct Approved {
    #[serde(flatten)]
    made: TransactionMade,
    /// Whether another reviewer has to approve the same amount, hash and output.
    needs_second: bool,
    /// What the transaction is now.
    revision: i32,
}

/// Approve a transaction
///
/// A payment that the chain does not prove takes a note. What one reviewer approves alone adds up over 24 hours: for a member to
/// $10,000.00, of payments that the chain does not prove to $1,000.00, and of those for all members to $5,000.00. From there on,
/// a second reviewer approves the same amount, txid and outputs.
#[post("/admin/transactions/{id}/approve", "Back office")]
pub async fn approve(caller: StaffMember, Path(id): Path<String>, body: Keyed<Approval>) -> Answer<Approved> {
    let client_address = caller.client.address;
    let message = ApproveTransactionRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    keyed!(caller.wallet_staff.approve_transaction(message))?.reply(|answer| {
        let row = required(answer.transaction, "a transaction")?;
        let (needs_second, revision) = (row.first_approval.is_some(), row.revision);
        let message = if needs_second { "Approved. Another reviewer has to approve it too." } else { "Approved." };
        Ok(Approved { made: TransactionMade::new(Some(row), message)?, needs_second, revision })
    })
}

/// The decision to reject a transaction.
#[request(to = RejectTransactionRequest)]
pub struct Rejection {
    /// The revision that was seen.
    #[schema(example = 1)]
    revision: Field<i32>,
    reason_code: Field<RejectionReason>,
    note: Field<Option<String>>,
}

/// Reject a transaction
#[post("/admin/transactions/{id}/reject", "Back office")]
pub async fn reject(caller: StaffMember, Path(id): Path<String>, body: Keyed<Rejection>) -> Answer<TransactionMade> {
    let client_address = caller.client.address;
    let message = RejectTransactionRequest { id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    let answer = keyed!(caller.wallet_staff.reject_transaction(message));
    naming_payer(&caller.app, answer).await?.reply(|answer| TransactionMade::new(answer.transaction, "Rejected."))
}

/// Propose to reverse a transaction
///
/// Takes a confirmed deposit, a late fee payment, a credit by staff or a released bonus back from the balance, once. What
/// the balance lacks is owed by the member. A treasurer other than the proposer confirms. The note, of 1 to 500
/// characters, is for the audit log.
#[post("/admin/transactions/{id}/reverse", "Back office")]
pub async fn reverse(
    caller: StaffMember,
    Path(transaction_id): Path<String>,
    Keyed { value, claim }: Keyed<NoteRequest>,
) -> Created<Proposed> {
    let message = ProposeReversalRequest {
        transaction_id,
        note: value.text()?,
        client_address: caller.client.address,
        idempotency: claim,
    };
    keyed!(caller.wallet_staff.propose_reversal(message))?
        .reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}
