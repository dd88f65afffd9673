//! Payouts that were prepared together and are not sent.

use axum::extract::State;
use axum::response::Response;
use proto::wallet::v1 as wallet;
use serde::Serialize;
use utoipa::ToSchema;

use super::payouts::{PayoutBatch, read};
use crate::app::App;
use crate::clients::call_keyed;
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Form, ok};

/// Payouts that are free again.
#[derive(Debug, Serialize, ToSchema)]
pub struct DissolvedPayouts {
    success: bool,
    message: &'static str,
}

/// Give up payouts that were prepared and not sent
///
/// Ends the caller's leases of all of them, or of none: others can pay or reject them. What they would have sent stays fixed until
/// they are started again, so a signed transaction that is sent after all is recognised.
#[utoipa::path(post, path = "/admin/payouts/dissolve", request_body = PayoutBatch, params(Key),
    responses((status = 200, body = DissolvedPayouts), Errors), tag = "Back office")]
pub async fn dissolve(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Keyed { value, claim }: Keyed<PayoutBatch>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let message = wallet::DissolvePayoutsRequest {
        payouts: read(&mut form, &value.payouts),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, ..) = call_keyed!(app.clients.treasury, dissolve_payouts, caller.out, claim, message)?.into_parts();
    let message = "The payouts are free for others. Do not send what was signed for them.";
    Ok(marked(&metadata, ok(DissolvedPayouts { success: true, message })))
}
