//! Payments to the platform that no transaction accounts for.

use axum::extract::{Query, State};
use proto::common::v1::PageRequest;
use proto::wallet::v1::ListUnclaimedPaymentsRequest;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::json::{Reply, ok};
use crate::routes::admin::transactions::{StaffTransaction, named_by};
use crate::routes::transactions::PageQuery;
use crate::routes::transactions::payments::ChainPayment;

/// A payment that no transaction accounts for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnclaimedPayment {
    #[serde(flatten)]
    payment: ChainPayment,
    /// The platform's address.
    address: String,
    /// Id of the member whose own address it is. Missing if members share the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    member_id: Option<String>,
    /// Open transactions that were shown this address, newest first; at most 20.
    candidates: Vec<StaffTransaction>,
}

/// A page of payments, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnclaimedPayments {
    success: bool,
    payments: Vec<UnclaimedPayment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// List unclaimed payments
///
/// Payments to an address of the platform that no transaction was approved with, and that no open one claims by its hash or
/// matches by its quote. To attach one, approve a transaction with its hash and index.
#[utoipa::path(get, path = "/admin/payments/unclaimed", params(("cursor" = Option<String>, Query)),
    responses((status = 200, body = UnclaimedPayments), Errors), tag = "Back office")]
pub async fn unclaimed(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(query): Query<PageQuery>,
) -> Result<Reply<UnclaimedPayments>, ApiError> {
    let page = Some(PageRequest { size: 0, cursor: query.cursor.unwrap_or_default() });
    let message = ListUnclaimedPaymentsRequest { page };
    let answer = call_retrying!(app.clients.wallet_staff, list_unclaimed_payments, caller.out, message)?.into_inner();
    let people = answer.payments.iter().flat_map(|one| &one.candidates).flat_map(named_by);
    let people = app.profiles.look_up(people).await?;
    let mut payments = Vec::new();
    for one in answer.payments {
        let payment = one.payment.unwrap_or_default();
        let candidates = one.candidates.into_iter().map(|row| StaffTransaction::new(&app, row, &people));
        payments.push(UnclaimedPayment {
            address: payment.address.clone(),
            member_id: Some(payment.member_id.clone()).filter(|id| !id.is_empty()),
            payment: payment.into(),
            candidates: candidates.collect::<Result<_, _>>()?,
        });
    }
    let next_cursor = Some(answer.next_cursor).filter(|cursor| !cursor.is_empty());
    Ok(ok(UnclaimedPayments { success: true, payments, next_cursor }))
}
