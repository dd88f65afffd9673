//! The calling staff member: their account and second factor.

use axum::extract::State;
use proto::auth::v1::{BeginTotpRequest, GetMeRequest, StepUpRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
use crate::error::{ApiError, Errors};
use crate::extract::AnyStaff;
use crate::json::{Json, Reply, moment, ok};
use crate::names::{Permission, Role};
use crate::routes::factors::{self, Code, NewTotp, RecoveryCodes, SteppedUp, TotpState};

/// The caller as the back office knows them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    success: bool,
    user: StaffAccount,
    totp: TotpState,
    /// Until when the last code counts as a fresh second factor. `null` if it no longer does.
    step_up_until: Option<String>,
    /// When a new staff member may decide and propose. `null` if they already may.
    decides_from: Option<String>,
    /// The permissions of the role.
    #[schema(value_type = Vec<Permission>)]
    permissions: Vec<String>,
}

/// A staff account, as its owner sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffAccount {
    id: String,
    name: String,
    email: String,
    #[schema(value_type = Role)]
    role: String,
}

/// Get the caller
#[utoipa::path(get, path = "/admin/me", responses((status = 200, body = Me), Errors), tag = "Back office")]
pub async fn get(State(app): State<App>, AnyStaff(caller): AnyStaff) -> Result<Reply<Me>, ApiError> {
    let me = call_retrying!(app.clients.auth_staff, get_me, caller.out, GetMeRequest {})?.into_inner();
    let user = me.user.ok_or_else(|| ApiError::internal("an answer without account"))?;
    Ok(ok(Me {
        success: true,
        user: StaffAccount { id: user.id, name: user.name, email: user.email, role: user.role },
        totp: TotpState {
            required: me.totp_required,
            enrolled: me.totp_enrolled,
            passkeys: me.passkeys,
            recovery_codes_left: me.recovery_codes_left,
        },
        step_up_until: moment(me.stepped_up_until.as_ref()),
        decides_from: moment(me.decides_from.as_ref()),
        permissions: me.permissions,
    }))
}

/// Begin to enrol an authenticator
///
/// It counts once its first code is confirmed. While another one is in force, a fresh code of that is needed.
#[utoipa::path(post, path = "/admin/me/totp", responses((status = 200, body = NewTotp), Errors), tag = "Back office")]
pub async fn begin_totp(State(app): State<App>, AnyStaff(caller): AnyStaff) -> Result<Reply<NewTotp>, ApiError> {
    factors::begin(&app, caller, BeginTotpRequest::default()).await
}

/// Confirm an authenticator
#[utoipa::path(post, path = "/admin/me/totp/confirm", request_body = Code,
    responses((status = 200, body = RecoveryCodes), Errors), tag = "Back office")]
pub async fn confirm_totp(
    State(app): State<App>,
    AnyStaff(caller): AnyStaff,
    Json { value, .. }: Json<Code>,
) -> Result<Reply<RecoveryCodes>, ApiError> {
    factors::confirm(&app, caller, &value).await
}

/// Give a code again
///
/// Every decision and every proposal needs one that is at most five minutes old.
#[utoipa::path(post, path = "/admin/me/step-up", request_body = Code,
    responses((status = 200, body = SteppedUp), Errors), tag = "Back office")]
pub async fn step_up(
    State(app): State<App>,
    AnyStaff(caller): AnyStaff,
    Json { value, .. }: Json<Code>,
) -> Result<Reply<SteppedUp>, ApiError> {
    factors::give(&app, caller, StepUpRequest { code: value.text()?, ..Default::default() }).await
}
