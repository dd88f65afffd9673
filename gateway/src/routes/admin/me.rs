//! The staff member who asks: their account and their second factor.

use axum::extract::State;
use proto::auth::v1::{BeginTotpRequest, ConfirmTotpRequest, GetMeRequest, StepUpRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::caller::Colleague;
use crate::clients::{call, call_retrying};
use crate::error::{ApiError, Errors};
use crate::json::{Field, Form, Json, Reply, moment, ok};
use crate::router::App;

/// The caller as the back office knows them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    success: bool,
    user: StaffAccount,
    totp: TotpState,
    /// Until when the code that was given counts for what needs a fresh one; null when it does not.
    step_up_until: Option<String>,
    /// New staff: from when on they may decide and propose; null when they may.
    decides_from: Option<String>,
    /// What the role may do.
    #[schema(example = json!(["see", "decide", "freeze", "writeNotes"]))]
    permissions: Vec<String>,
}

/// A staff account, as its owner sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaffAccount {
    id: String,
    name: String,
    email: String,
    /// reviewer, treasurer, manager, auditor or admin.
    role: String,
}

/// How the second factor stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotpState {
    /// Whether staff need one here.
    required: bool,
    /// Whether an authenticator is in force.
    enrolled: bool,
    recovery_codes_left: i32,
}

/// Get the caller
#[utoipa::path(get, path = "/admin/me", responses((status = 200, body = Me), Errors),
    security(("bearer" = [])), tag = "Back office")]
pub async fn get(State(app): State<App>, Colleague(caller): Colleague) -> Result<Reply<Me>, ApiError> {
    let me = call_retrying!(app.clients.auth_staff, get_me, caller.out, GetMeRequest {})?.into_inner();
    let user = me.user.ok_or_else(|| ApiError::internal("an answer without account"))?;
    Ok(ok(Me {
        success: true,
        user: StaffAccount { id: user.id, name: user.name, email: user.email, role: user.role },
        totp: TotpState {
            required: me.totp_required,
            enrolled: me.totp_enrolled,
            recovery_codes_left: me.recovery_codes_left,
        },
        step_up_until: moment(me.stepped_up_until.as_ref()),
        decides_from: moment(me.decides_from.as_ref()),
        permissions: me.permissions,
    }))
}

/// An authenticator that waits for its first code.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewTotp {
    success: bool,
    message: String,
    /// In base32, to be typed.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// To be scanned.
    #[schema(
        example = "otpauth://totp/Solvane:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Solvane"
    )]
    uri: String,
}

/// Begin to enrol an authenticator
///
/// It counts once its first code is confirmed. While another one is in force, a fresh code of that is needed.
#[utoipa::path(post, path = "/admin/me/totp", responses((status = 200, body = NewTotp), Errors),
    security(("bearer" = [])), tag = "Back office")]
pub async fn begin_totp(State(app): State<App>, Colleague(caller): Colleague) -> Result<Reply<NewTotp>, ApiError> {
    let new = call!(app.clients.auth_staff, begin_totp, caller.out, BeginTotpRequest {})?.into_inner();
    let message = "Add the secret to your authenticator, then enter its first code.".to_owned();
    Ok(ok(NewTotp { success: true, message, secret: new.secret, uri: new.uri }))
}

/// A code of an authenticator.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Code {
    /// Six digits; a recovery code where one is accepted.
    #[schema(value_type = String, example = "123456")]
    code: Field,
}

/// Codes that stand in for the authenticator.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    success: bool,
    message: String,
    /// Each works once. They are not shown again.
    #[schema(example = json!(["ABCDE-FGHJK"]))]
    recovery_codes: Vec<String>,
}

/// Confirm an authenticator
#[utoipa::path(post, path = "/admin/me/totp/confirm", request_body = Code,
    responses((status = 200, body = RecoveryCodes), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn confirm_totp(
    State(app): State<App>,
    Colleague(caller): Colleague,
    Json { value, .. }: Json<Code>,
) -> Result<Reply<RecoveryCodes>, ApiError> {
    let mut form = Form::new();
    let message = ConfirmTotpRequest { code: form.text("code", &value.code), client: Some(caller.client) };
    form.finish()?;
    let answer = call!(app.clients.auth_staff, confirm_totp, caller.out, message)?.into_inner();
    let message = "Your authenticator is set up. Keep the recovery codes in a safe place.".to_owned();
    Ok(ok(RecoveryCodes { success: true, message, recovery_codes: answer.recovery_codes }))
}

/// A code that was taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct SteppedUp {
    success: bool,
    message: String,
    /// Until when it counts.
    until: Option<String>,
}

/// Give a code again
///
/// Every decision and every proposal needs one that is at most five minutes old.
#[utoipa::path(post, path = "/admin/me/step-up", request_body = Code,
    responses((status = 200, body = SteppedUp), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn step_up(
    State(app): State<App>,
    Colleague(caller): Colleague,
    Json { value, .. }: Json<Code>,
) -> Result<Reply<SteppedUp>, ApiError> {
    let mut form = Form::new();
    let message = StepUpRequest { code: form.text("code", &value.code), client: Some(caller.client) };
    form.finish()?;
    let answer = call!(app.clients.auth_staff, step_up, caller.out, message)?.into_inner();
    let message = "Thank you, the code was right.".to_owned();
    Ok(ok(SteppedUp { success: true, message, until: moment(answer.until.as_ref()) }))
}
