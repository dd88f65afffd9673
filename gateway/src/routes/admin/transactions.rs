//! What waits for staff, and their decisions on it.

use axum::extract::{Path, Query, State};
use axum::response::Response;
use proto::common::v1::PageRequest;
use proto::wallet::v1::{
    ApproveTransactionRequest, GetQueueRequest, GetReviewRequest, ListStaffTransactionsRequest,
    MarkWithdrawalPaidRequest, NoteViewingRequest, RejectTransactionRequest, TransactionKind, TransactionStatus,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::caller::StaffMember;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::idempotency::{Key, marked};
use crate::json::{Field, Form, Json, Number, Reply, field, moment, ok};
use crate::router::App;
use crate::routes::transactions::times::{Percentiles, of_kind};
use crate::routes::transactions::{Transaction, TransactionMade, kind_name, owners};

/// What waits of one kind.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueCount {
    /// deposit, course, fee, withdrawal or payout.
    kind: String,
    count: i32,
    oldest_at: Option<String>,
}

/// How long staff took in the last 24 hours; null for what was not handled.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueueTimes {
    /// From request to review; course payments too.
    deposit: Option<Percentiles>,
    /// From request to review.
    fee: Option<Percentiles>,
    /// From request to review.
    withdrawal: Option<Percentiles>,
    /// From approval to payout.
    payout: Option<Percentiles>,
}

/// What waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Queue {
    success: bool,
    queue: Vec<QueueCount>,
    times: QueueTimes,
}

/// Count what waits
#[utoipa::path(get, path = "/admin/queue", responses((status = 200, body = Queue), Errors),
    security(("bearer" = [])), tag = "Back office")]
pub async fn queue(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<Queue>, ApiError> {
    let answer = call_retrying!(app.clients.wallet_staff, get_queue, caller.out, GetQueueRequest {})?.into_inner();
    let queue = answer.counts.into_iter().map(|count| QueueCount {
        oldest_at: moment(count.oldest_at.as_ref()),
        kind: count.kind,
        count: count.count,
    });
    let of = |kind| of_kind(&answer.times, kind);
    let times =
        QueueTimes { deposit: of("deposit"), fee: of("fee"), withdrawal: of("withdrawal"), payout: of("payout") };
    Ok(ok(Queue { success: true, queue: queue.collect(), times }))
}

/// Which transactions.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    status: Option<String>,
    kind: Option<String>,
    member: Option<String>,
    search: Option<String>,
    cursor: Option<String>,
}

/// A transaction as staff see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffTransaction {
    #[serde(flatten)]
    transaction: Transaction,
    member_id: String,
}

/// Transactions for staff.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffTransactions {
    success: bool,
    transactions: Vec<StaffTransaction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// List transactions
#[utoipa::path(get, path = "/admin/transactions",
    params(("status" = Option<String>, Query), ("kind" = Option<String>, Query), ("member" = Option<String>, Query),
        ("search" = Option<String>, Query, description = "A TNX reference, address or txid"), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = StaffTransactions), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn list(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(filter): Query<Filter>,
) -> Result<Reply<StaffTransactions>, ApiError> {
    let status = match filter.status.as_deref() {
        None | Some("" | "all") => TransactionStatus::Unspecified,
        Some("pending") => TransactionStatus::Pending,
        Some("success") => TransactionStatus::Success,
        Some("failed") => TransactionStatus::Failed,
        Some(_) => return Err(field("status", "Choose pending, success or failed")),
    };
    let kind = match filter.kind.as_deref() {
        None | Some("" | "all") => TransactionKind::Unspecified,
        Some(name) => (1..=8)
            .filter_map(|number| TransactionKind::try_from(number).ok())
            .find(|kind| kind_name(*kind) == name)
            .ok_or_else(|| field("kind", "There is no such kind of transaction"))?,
    };
    let message = ListStaffTransactionsRequest {
        status: status.into(),
        kind: kind.into(),
        member_id: filter.member.unwrap_or_default(),
        search: filter.search.unwrap_or_default(),
        page: Some(PageRequest { size: 0, cursor: filter.cursor.unwrap_or_default() }),
    };
    let answer = call_retrying!(app.clients.wallet_staff, list_staff_transactions, caller.out, message)?.into_inner();
    let owners = owners(&app, answer.transactions.iter().map(|row| row.user_id.clone())).await?;
    let transactions = answer.transactions.into_iter().map(|row| StaffTransaction {
        member_id: row.user_id.clone(),
        transaction: Transaction::new(&app, row.clone(), owners.get(&row.user_id).cloned().unwrap_or_default()),
    });
    Ok(ok(StaffTransactions {
        success: true,
        transactions: transactions.collect(),
        next_cursor: Some(answer.next_cursor).filter(|cursor| !cursor.is_empty()),
    }))
}

/// One fact of the checklist.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    name: String,
    ok: bool,
    detail: String,
    transaction_ids: Vec<String>,
}

/// A member's balances at the time of review.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewWallet {
    #[schema(value_type = f64)]
    balance: Number,
    #[schema(value_type = f64)]
    held: Number,
    #[schema(value_type = f64)]
    bonus: Number,
    #[schema(value_type = f64)]
    invested: Number,
}

/// A transaction with all facts for a decision.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    success: bool,
    transaction: StaffTransaction,
    checks: Vec<Check>,
    wallet: Option<ReviewWallet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
}

/// Get a transaction with its checklist
#[utoipa::path(get, path = "/admin/transactions/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Review), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn get(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<Review>, ApiError> {
    let answer =
        call_retrying!(app.clients.wallet_staff, get_review, caller.out, GetReviewRequest { id })?.into_inner();
    let row = answer.transaction.ok_or_else(ApiError::not_found)?;
    let owner = owners(&app, [row.user_id.clone()]).await?.remove(&row.user_id).unwrap_or_default();
    let checks = answer.checks.into_iter().map(|check| Check {
        name: check.name,
        ok: check.ok,
        detail: check.detail,
        transaction_ids: check.transaction_ids,
    });
    Ok(ok(Review {
        success: true,
        transaction: StaffTransaction {
            member_id: row.user_id.clone(),
            transaction: Transaction::new(&app, row, owner),
        },
        checks: checks.collect(),
        wallet: answer.wallet.map(|wallet| ReviewWallet {
            balance: Number::dollars(wallet.available_cents),
            held: Number::dollars(wallet.held_cents),
            bonus: Number::dollars(wallet.bonus_cents),
            invested: Number::dollars(wallet.invested_cents),
        }),
        approved_by: Some(answer.approved_by).filter(|id| !id.is_empty()),
    }))
}

/// Somebody of staff.
#[derive(Debug, Serialize, ToSchema)]
pub struct Viewer {
    id: String,
    name: String,
}

/// Who else looks at a transaction now.
#[derive(Debug, Serialize, ToSchema)]
pub struct Viewers {
    success: bool,
    viewers: Vec<Viewer>,
}

/// Say that you look at a transaction
///
/// And see who else does. It counts for 20 seconds, so it is said again while the page is open.
#[utoipa::path(post, path = "/admin/transactions/{id}/viewing", params(("id" = String, Path)),
    responses((status = 200, body = Viewers), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn viewing(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<Viewers>, ApiError> {
    let message = NoteViewingRequest { transaction_id: id };
    let ids = call_retrying!(app.clients.wallet_staff, note_viewing, caller.out, message)?.into_inner().viewer_ids;
    let mut names = owners(&app, ids.iter().cloned()).await?;
    let viewer = |id: String| Viewer { name: names.remove(&id).map(|owner| owner.name).unwrap_or_default(), id };
    Ok(ok(Viewers { success: true, viewers: ids.into_iter().map(viewer).collect() }))
}

/// A decision to approve.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// The revision that was seen.
    #[schema(value_type = i32, example = 1)]
    revision: Field,
    /// What arrived: needed for a deposit; course payments and fees have a fixed price.
    #[schema(value_type = Option<f64>)]
    received_amount: Field,
    /// Deposits and fees: the transaction on its network.
    #[schema(value_type = Option<String>)]
    txid: Field,
    #[schema(value_type = Option<String>)]
    note: Field,
}

/// Approve a transaction
#[utoipa::path(post, path = "/admin/transactions/{id}/approve", request_body = Approval,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = TransactionMade), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn approve(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
    Json { value, digest }: Json<Approval>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let claim = key.claim(&digest);
    let message = ApproveTransactionRequest {
        id,
        revision: form.integer("revision", &value.revision),
        received_amount_cents: form.optional_amount("receivedAmount", &value.received_amount).map(|a| a.get()),
        txid: form.text("txid", &value.txid),
        note: form.text("note", &value.note),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, approve_transaction, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(TransactionMade::new(answer.transaction, "Approved.")?)))
}

/// A decision to reject.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// The revision that was seen.
    #[schema(value_type = i32, example = 1)]
    revision: Field,
    #[schema(value_type = String, example = "NOT_RECEIVED")]
    reason_code: Field,
    #[schema(value_type = Option<String>)]
    note: Field,
}

/// Reject a transaction
#[utoipa::path(post, path = "/admin/transactions/{id}/reject", request_body = Rejection,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = TransactionMade), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn reject(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
    Json { value, digest }: Json<Rejection>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let claim = key.claim(&digest);
    let message = RejectTransactionRequest {
        id,
        revision: form.integer("revision", &value.revision),
        reason_code: form.text("reasonCode", &value.reason_code),
        note: form.text("note", &value.note),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, reject_transaction, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(TransactionMade::new(answer.transaction, "Rejected.")?)))
}

/// A payout that was made.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Payout {
    /// The revision that was seen.
    #[schema(value_type = i32, example = 2)]
    revision: Field,
    /// The transaction on its network.
    #[schema(value_type = String)]
    txid: Field,
}

/// Record the payout of a withdrawal
#[utoipa::path(post, path = "/admin/transactions/{id}/paid", request_body = Payout,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, body = TransactionMade), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn paid(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(id): Path<String>,
    key: Key,
    Json { value, digest }: Json<Payout>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let claim = key.claim(&digest);
    let message = MarkWithdrawalPaidRequest {
        id,
        revision: form.integer("revision", &value.revision),
        txid: form.text("txid", &value.txid),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet_staff, mark_withdrawal_paid, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(TransactionMade::new(answer.transaction, "Marked as paid.")?)))
}
