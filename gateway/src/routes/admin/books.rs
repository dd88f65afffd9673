//! The trail of what staff did, and whether the books are right.

use axum::extract::{Query, State};
use proto::common::v1::{AuditRow as AuditRowMessage, PageRequest};
use proto::{auth::v1 as auth, payment_method::v1 as payment_method, trade::v1 as trade, wallet::v1 as wallet};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::caller::StaffMember;
use crate::clients::fetch;
use crate::error::{ApiError, Errors};
use crate::json::{Number, Reply, field, moment, ok};
use crate::router::App;

/// Whose trail, and where it goes on.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    service: Option<String>,
    cursor: Option<String>,
}

/// One act.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    id: i64,
    at: Option<String>,
    actor_id: String,
    actor_role: String,
    action: String,
    subject_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    member_id: Option<String>,
    #[schema(value_type = Option<Object>)]
    before: Option<Box<RawValue>>,
    #[schema(value_type = Option<Object>)]
    after: Option<Box<RawValue>>,
    address: String,
    hash: String,
}

impl From<AuditRowMessage> for AuditRow {
    fn from(row: AuditRowMessage) -> Self {
        Self {
            id: row.id,
            at: moment(row.at.as_ref()),
            actor_id: row.actor_id,
            actor_role: row.actor_role,
            action: row.action,
            subject_id: row.subject_id,
            member_id: Some(row.member_id).filter(|id| !id.is_empty()),
            before: RawValue::from_string(row.before_json).ok(),
            after: RawValue::from_string(row.after_json).ok(),
            address: row.address,
            hash: row.hash,
        }
    }
}

/// A service's trail, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditTrail {
    success: bool,
    rows: Vec<AuditRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Read the trail of staff actions
#[utoipa::path(get, path = "/admin/audit",
    params(("service" = Option<String>, Query, description = "wallet (the default), auth, trade or payment-method"),
        ("cursor" = Option<String>, Query)),
    responses((status = 200, body = AuditTrail), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn audit(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(filter): Query<Filter>,
) -> Result<Reply<AuditTrail>, ApiError> {
    let page = Some(PageRequest { size: 0, cursor: filter.cursor.unwrap_or_default() });
    let clients = &app.clients;
    let (rows, next_cursor) = match filter.service.as_deref() {
        None | Some("" | "wallet") => {
            let message = wallet::ListAuditRowsRequest { page };
            let answer = fetch!(clients.wallet_staff, list_audit_rows, caller.out, message)?.into_inner();
            (answer.rows, answer.next_cursor)
        }
        Some("auth") => {
            let message = auth::ListAuditRowsRequest { page };
            let answer = fetch!(clients.auth_staff, list_audit_rows, caller.out, message)?.into_inner();
            (answer.rows, answer.next_cursor)
        }
        Some("trade") => {
            let message = trade::ListAuditRowsRequest { page };
            let answer = fetch!(clients.trade_staff, list_audit_rows, caller.out, message)?.into_inner();
            (answer.rows, answer.next_cursor)
        }
        Some("payment-method") => {
            let message = payment_method::ListAuditRowsRequest { page };
            let answer = fetch!(clients.payment_method_staff, list_audit_rows, caller.out, message)?.into_inner();
            (answer.rows, answer.next_cursor)
        }
        Some(_) => return Err(field("service", "Choose wallet, auth, trade or payment-method")),
    };
    Ok(ok(AuditTrail {
        success: true,
        rows: rows.into_iter().map(AuditRow::from).collect(),
        next_cursor: Some(next_cursor).filter(|cursor| !cursor.is_empty()),
    }))
}

/// What is owed to members, in dollars.
#[derive(Debug, Serialize, ToSchema)]
pub struct Liabilities {
    #[schema(value_type = f64)]
    available: Number,
    #[schema(value_type = f64)]
    held: Number,
    #[schema(value_type = f64)]
    invested: Number,
    #[schema(value_type = f64)]
    bonus: Number,
    #[schema(value_type = f64)]
    total: Number,
}

/// Whether the books are right.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Integrity {
    success: bool,
    /// Sum of all entries; 0 when right.
    #[schema(value_type = f64)]
    trial_balance: Number,
    /// Differences between balances and their entries; 0 when right.
    #[schema(value_type = f64)]
    drift: Number,
    liabilities: Liabilities,
    /// What the platform holds according to the ledger.
    #[schema(value_type = f64)]
    holdings: Number,
    /// The investment pool.
    #[schema(value_type = f64)]
    pool: Number,
    outbox_oldest_seconds: i64,
    dead_letters: i64,
    ok: bool,
}

/// Check the books
#[utoipa::path(get, path = "/admin/integrity", responses((status = 200, body = Integrity), Errors),
    security(("bearer" = [])), tag = "Back office")]
pub async fn integrity(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<Integrity>, ApiError> {
    let message = wallet::GetIntegrityRequest {};
    let books = fetch!(app.clients.wallet_staff, get_integrity, caller.out, message)?.into_inner();
    let total = books
        .available_cents
        .saturating_add(books.held_cents)
        .saturating_add(books.invested_cents)
        .saturating_add(books.bonus_cents);
    Ok(ok(Integrity {
        success: true,
        trial_balance: Number::dollars(books.trial_balance_cents),
        drift: Number::dollars(books.drift_cents),
        liabilities: Liabilities {
            available: Number::dollars(books.available_cents),
            held: Number::dollars(books.held_cents),
            invested: Number::dollars(books.invested_cents),
            bonus: Number::dollars(books.bonus_cents),
            total: Number::dollars(total),
        },
        holdings: Number::dollars(books.holdings_cents),
        pool: Number::dollars(books.pool_cents),
        outbox_oldest_seconds: books.outbox_oldest_seconds,
        dead_letters: books.dead_letters,
        ok: books.ok,
    }))
}
