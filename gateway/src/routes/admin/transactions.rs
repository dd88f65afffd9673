//! The review queue and the decisions of staff on transactions.

pub mod waiting;

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use proto::common::v1::{EvidenceCheck, PageRequest};
use proto::wallet::v1 as wallet;
use proto::wallet::v1::{
    ApproveTransactionRequest, GetQueueRequest, GetReviewRequest, LeasePayoutRequest, ListStaffTransactionsRequest,
    MarkWithdrawalPaidRequest, NoteViewingRequest, PayoutOutcome, ProposePayoutCorrectionRequest,
    ProposeReversalRequest, RejectTransactionRequest, Transaction as Row,
};
use route_macros::{get, post, request, response};
use serde::Deserialize;

use crate::app::App;
use crate::cache::profiles::People;
use crate::clients::{Service, ask, call_retrying, keyed};
use crate::convert::{choice, from_proto, non_empty, required};
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::idempotency::Keyed;
use crate::json::{Answer, Created, Dollars, Field, Form, ToProto, field, inert, ok};
use crate::names::{ListFormat, QueueKind, RejectionReason};
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, PAGE, is_csv, word};
use crate::routes::admin::members::{Entry, NoteRequest};
use crate::routes::admin::proposals::Proposed;
use crate::routes::admin::verdicts::Blocker;
use crate::routes::transactions::model::{Step, TransactionKind, TransactionStatus};
use crate::routes::transactions::payments::{ChainPayment, Evidence};
use crate::routes::transactions::times::{Percentiles, of_kind};
use crate::routes::transactions::{Destination, PageQuery, Transaction, TransactionMade};
use crate::routes::users::Wallet;

/// The open items of one kind.
#[response(from = wallet::QueueCount)]
pub struct QueueCount {
    #[schema(value_type = QueueKind)]
    kind: String,
    count: i32,
    #[nullable]
    oldest_at: Option<String>,
}

/// Handling times of the last 24 hours. `null` for a kind of which none was handled.
#[response]
pub struct QueueTimes {
    /// Deposits and course payments, from request to review.
    #[nullable]
    deposit: Option<Percentiles>,
    /// Fee payments, from request to review.
    #[nullable]
    fee: Option<Percentiles>,
    /// Withdrawals, from request to review.
    #[nullable]
    withdrawal: Option<Percentiles>,
    /// Withdrawals, from approval to payout.
    #[nullable]
    payout: Option<Percentiles>,
}

/// The open items of all kinds.
#[response]
pub struct Queue {
    queue: Vec<QueueCount>,
    times: QueueTimes,
}

/// Count what waits
#[get("/admin/queue", "Back office")]
pub async fn queue(caller: StaffMember) -> Answer<Queue> {
    let answer = ask!(caller.wallet_staff.get_queue(GetQueueRequest {}))?;
    let of = |kind| of_kind(&answer.times, kind);
    let times =
        QueueTimes { deposit: of("deposit"), fee: of("fee"), withdrawal: of("withdrawal"), payout: of("payout") };
    Ok(ok(Queue { queue: from_proto(answer.counts)?, times }))
}

/// The filter and the page.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    status: Option<String>,
    kind: Option<String>,
    member: Option<String>,
    search: Option<String>,
    cursor: Option<String>,
    /// Transactions on the page, 1 to 1,000; 50 by default.
    size: Option<String>,
    format: Option<String>,
}

/// The staff member who is paying a withdrawal. No other person can pay or reject it meanwhile.
#[response(from = wallet::PayoutLease)]
pub struct Paying {
    #[from(treasurer_id)]
    by: String,
    #[from(skip)]
    by_name: String,
    #[nullable]
    until: Option<String>,
}

/// The first of two approvals of a deposit: another reviewer has to approve the same.
#[response(from = wallet::FirstApproval)]
pub struct FirstApproval {
    #[from(reviewer_id)]
    by: String,
    #[from(skip)]
    by_name: String,
    #[nullable]
    at: Option<String>,
    received_amount: Dollars,
    txid: String,
    vout: Option<u32>,
}

/// A transaction as staff see it.
#[response]
pub struct StaffTransaction {
    #[serde(flatten)]
    transaction: Transaction,
    member_id: String,
    paying: Option<Paying>,
    first_approval: Option<FirstApproval>,
}

impl StaffTransaction {
    pub(super) fn new(app: &App, mut row: Row, people: &People) -> Result<Self, ApiError> {
        let mut paying: Option<Paying> = from_proto(row.paying.take())?;
        let mut first_approval: Option<FirstApproval> = from_proto(row.first_approval.take())?;
        if let Some(lease) = &mut paying {
            lease.by_name = people.name(&lease.by).unwrap_or_default();
        }
        if let Some(first) = &mut first_approval {
            first.by_name = people.name(&first.by).unwrap_or_default();
        }
        let (member_id, member) = (row.user_id.clone(), people.profile(&row.user_id));
        Ok(Self { member_id, paying, first_approval, transaction: Transaction::new(app, row, member)? })
    }
}

/// The people whom a row names: the member, the person who is paying, and the first approver.
pub(super) fn named_by(row: &Row) -> impl Iterator<Item = String> + use<> {
    let staff = [
        row.paying.as_ref().map(|lease| lease.treasurer_id.clone()),
        row.first_approval.as_ref().map(|first| first.reviewer_id.clone()),
    ];
    staff.into_iter().flatten().chain([row.user_id.clone()])
}

/// A page of transactions, newest first.
#[response]
pub struct StaffTransactions {
    transactions: Vec<StaffTransaction>,
    next_cursor: Option<String>,
    /// When this was current, if it was read from a standby that is behind.
    as_of: Option<String>,
}

/// List transactions
///
/// `format=csv` answers those that match as one file of at most 100,000.
#[get("/admin/transactions", "Back office",
    params(("status" = Option<TransactionStatus>, Query), ("kind" = Option<TransactionKind>, Query), ("member" = Option<String>, Query), ("search" = Option<String>, Query, description = "A TNX reference, address, txid or amount"), ("cursor" = Option<String>, Query), ("size" = Option<u16>, Query, minimum = 1, maximum = 1_000), ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((StaffTransactions = "application/json"), (String = "text/csv"))), Errors))]
pub async fn list(caller: StaffMember, Query(filter): Query<Filter>) -> Result<Response, ApiError> {
    let status = choice::<TransactionStatus>("status", filter.status.as_deref())?;
    let kind = choice::<TransactionKind>("kind", filter.kind.as_deref())?;
    let message = ListStaffTransactionsRequest {
        status: status.into(),
        kind: kind.into(),
        member_id: filter.member.unwrap_or_default(),
        search: filter.search.unwrap_or_default(),
        page: None,
    };
    if is_csv(filter.format.as_deref())? {
        return file(caller.app, caller.out, message, filter.cursor.unwrap_or_default()).await;
    }
    let page = PageQuery { cursor: filter.cursor, size: filter.size }.request()?;
    let found = read(&caller.app, &caller.out, message, page).await?;
    Ok(ok(found).into_response())
}

/// A page of those that match.
async fn read(
    app: &App,
    out: &Outgoing,
    matching: ListStaffTransactionsRequest,
    page: PageRequest,
) -> Result<StaffTransactions, ApiError> {
    let message = ListStaffTransactionsRequest { page: Some(page), ..matching };
    let answer = call_retrying!(app.clients.wallet_staff, list_staff_transactions, out, message)?.into_inner();
    let people = app.profiles.look_up(answer.transactions.iter().flat_map(named_by)).await?;
    let transactions = answer.transactions.into_iter().map(|row| StaffTransaction::new(app, row, &people));
    Ok(StaffTransactions {
        transactions: transactions.collect::<Result<_, _>>()?,
        next_cursor: from_proto(answer.next_cursor)?,
        as_of: from_proto(answer.as_of)?,
    })
}

async fn file(
    app: App,
    out: Outgoing,
    matching: ListStaffTransactionsRequest,
    cursor: String,
) -> Result<Response, ApiError> {
    let file = CsvFile { name: "solvane-transactions".to_owned(), columns: COLUMNS.to_vec(), most: MOST_ROWS };
    let read = move |cursor| {
        let (app, out, matching) = (app.clone(), out.clone(), matching.clone());
        async move {
            let page = read(&app, &out, matching, PageRequest { size: PAGE, cursor }).await?;
            let rows = page.transactions.into_iter().map(columns).collect();
            Ok((rows, page.next_cursor.unwrap_or_default()))
        }
    };
    file.respond(cursor, read).await
}

const COLUMNS: [&str; 16] = [
    "id",
    "reference",
    "createdAt",
    "decidedAt",
    "memberId",
    "memberName",
    "memberEmail",
    "kind",
    "type",
    "status",
    "amount",
    "fee",
    "currency",
    "network",
    "address",
    "txid",
];

fn columns(StaffTransaction { transaction: row, member_id, .. }: StaffTransaction) -> Vec<String> {
    let fee = row.fee.as_ref().map(ToString::to_string).unwrap_or_default();
    let (currency, network, shown) =
        row.method.map(|method| (method.currency, method.network, method.address)).unwrap_or_default();
    // A withdrawal goes to its destination; a payment came to the address that was shown.
    let address = row.destination.map_or(shown, |to| to.address);
    vec![
        row.id,
        row.reference,
        row.created_at,
        row.decided_at.unwrap_or_default(),
        member_id,
        inert(row.user.name),
        inert(row.user.email),
        word(row.kind),
        word(row.r#type),
        word(row.status),
        row.amount.to_string(),
        fee,
        inert(currency),
        inert(network),
        inert(address),
        inert(row.txid.unwrap_or_default()),
    ]
}

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
async fn naming_payer<T>(app: &App, answer: Result<T, ApiError>) -> Result<T, ApiError> {
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
