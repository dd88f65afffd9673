//! The second factor of the caller, a member or staff, and the step-up.

use axum::extract::State;
use proto::auth::v1::{
    BeginTotpRequest, ConfirmTotpRequest, GetFactorsRequest, RemoveTotpRequest, ReplaceRecoveryCodesRequest,
    StepUpRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::SignedIn;
use crate::json::{Field, Form, Json, Reply, moment, ok};
use crate::routes::Done;

/// State of the second factor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotpState {
    /// Whether the account must have a second factor.
    pub required: bool,
    /// Whether an authenticator is active.
    pub enrolled: bool,
    /// Number of passkeys.
    pub passkeys: i32,
    /// Unused recovery codes.
    pub recovery_codes_left: i32,
}

/// The caller's second factor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotpReply {
    success: bool,
    totp: TotpState,
    /// Until when the last code counts as a fresh second factor. `null` if it no longer does.
    step_up_until: Option<String>,
}

/// Get the second factor
#[utoipa::path(get, path = "/users/totp", responses((status = 200, body = TotpReply), Errors), tag = "Profile")]
pub async fn get(State(app): State<App>, caller: SignedIn) -> Result<Reply<TotpReply>, ApiError> {
    let answer = call_retrying!(app.clients.factors, get_factors, caller.out, GetFactorsRequest {})?.into_inner();
    let totp = TotpState {
        required: answer.totp_required,
        enrolled: answer.totp_enrolled,
        passkeys: answer.passkeys,
        recovery_codes_left: answer.recovery_codes_left,
    };
    Ok(ok(TotpReply { success: true, totp, step_up_until: moment(answer.stepped_up_until.as_ref()) }))
}

/// The proof of a member without a second factor.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Proof {
    /// Required from members without a second factor. Others need a fresh code instead.
    #[schema(value_type = Option<String>, example = "a good password")]
    password: Field,
}

impl Proof {
    /// The password, empty if it was not sent.
    ///
    /// # Errors
    /// If it is no text.
    pub fn password(&self) -> Result<String, ApiError> {
        let mut form = Form::new();
        let password = form.text("password", &self.password);
        form.finish()?;
        Ok(password)
    }
}

/// An authenticator that is not confirmed yet.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewTotp {
    success: bool,
    message: String,
    /// The secret in base32, to type.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// To be scanned.
    #[schema(
        example = "otpauth://totp/Solvane:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Solvane"
    )]
    uri: String,
}

/// Begin to set up an authenticator
///
/// It counts once its first code is confirmed. While another one is in force, a fresh code of that is needed.
#[utoipa::path(post, path = "/users/totp", request_body = Proof,
    responses((status = 200, body = NewTotp), Errors), tag = "Profile")]
pub async fn begin_totp(
    State(app): State<App>,
    caller: SignedIn,
    Json { value, .. }: Json<Proof>,
) -> Result<Reply<NewTotp>, ApiError> {
    begin(&app, caller, BeginTotpRequest { password: value.password()? }).await
}

/// Requests the secret from auth.
pub async fn begin(app: &App, caller: SignedIn, message: BeginTotpRequest) -> Result<Reply<NewTotp>, ApiError> {
    let new = call!(app.clients.factors, begin_totp, caller.out, message)?.into_inner();
    let message = "Add the secret to your authenticator, then enter its first code.".to_owned();
    Ok(ok(NewTotp { success: true, message, secret: new.secret, uri: new.uri }))
}

/// A code of an authenticator.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Code {
    /// Six digits of the authenticator, or a recovery code where one is accepted.
    #[schema(value_type = String, example = "123456")]
    code: Field,
}

impl Code {
    /// The code as it was entered. Fails if it is not text.
    pub fn text(&self) -> Result<String, ApiError> {
        let mut form = Form::new();
        let code = form.text("code", &self.code);
        form.finish()?;
        Ok(code)
    }
}

/// Recovery codes, each of which replaces a code of the authenticator once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    success: bool,
    message: String,
    /// The codes. They are not shown again.
    #[schema(example = json!(["ABCDE-FGHJK"]))]
    recovery_codes: Vec<String>,
}

impl RecoveryCodes {
    fn saying(message: &str, recovery_codes: Vec<String>) -> Reply<Self> {
        ok(Self { success: true, message: message.to_owned(), recovery_codes })
    }
}

/// Confirm an authenticator
///
/// From then on, logging in takes a code of it, and withdrawals, addresses, email, password and the authenticator itself
/// take one that is at most five minutes old. No session ends.
#[utoipa::path(post, path = "/users/totp/confirm", request_body = Code,
    responses((status = 200, body = RecoveryCodes), Errors), tag = "Profile")]
pub async fn confirm_totp(
    State(app): State<App>,
    caller: SignedIn,
    Json { value, .. }: Json<Code>,
) -> Result<Reply<RecoveryCodes>, ApiError> {
    confirm(&app, caller, &value).await
}

/// Confirms the authenticator with its first code.
pub async fn confirm(app: &App, caller: SignedIn, code: &Code) -> Result<Reply<RecoveryCodes>, ApiError> {
    let message = ConfirmTotpRequest { code: code.text()?, client: Some(caller.client) };
    let answer = call!(app.clients.factors, confirm_totp, caller.out, message)?.into_inner();
    let sentence = "Your authenticator is set up. Keep the recovery codes in a safe place.";
    Ok(RecoveryCodes::saying(sentence, answer.recovery_codes))
}

/// Remove the authenticator
#[utoipa::path(delete, path = "/users/totp", responses((status = 200, body = Done), Errors), tag = "Profile")]
pub async fn remove_totp(State(app): State<App>, caller: SignedIn) -> Result<Reply<Done>, ApiError> {
    let message = RemoveTotpRequest { client: Some(caller.client) };
    call!(app.clients.factors, remove_totp, caller.out, message)?;
    Ok(ok(Done::saying("Two-factor authentication is off.")))
}

/// Make new recovery codes
///
/// Those before no longer work.
#[utoipa::path(post, path = "/users/totp/recovery-codes", responses((status = 200, body = RecoveryCodes), Errors), tag = "Profile")]
pub async fn replace_recovery_codes(
    State(app): State<App>,
    caller: SignedIn,
) -> Result<Reply<RecoveryCodes>, ApiError> {
    let message = ReplaceRecoveryCodesRequest { client: Some(caller.client) };
    let answer = call!(app.clients.factors, replace_recovery_codes, caller.out, message)?.into_inner();
    Ok(RecoveryCodes::saying("Your new recovery codes replace the ones before.", answer.recovery_codes))
}

/// The second factor.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepUp {
    /// Six digits of the authenticator, or a recovery code.
    #[schema(value_type = Option<String>, example = "123456")]
    totp: Field,
    #[schema(value_type = Option<String>, example = "ABCDE-FGHJK")]
    recovery_code: Field,
    /// `AuthenticationResponseJSON` of WebAuthn, by the options of `POST /auth/step-up/passkey`.
    #[schema(value_type = Option<Object>)]
    passkey: Field,
}

/// The result of a step-up.
#[derive(Debug, Serialize, ToSchema)]
pub struct SteppedUp {
    success: bool,
    message: String,
    /// Until when the second factor counts as fresh.
    until: Option<String>,
}

/// Give a second factor again
///
/// For five minutes it opens every call that answers STEP_UP_REQUIRED without one. 20 wrong ones lock it for an hour.
#[utoipa::path(post, path = "/auth/step-up", request_body = StepUp,
    responses((status = 200, body = SteppedUp), Errors), tag = "Session")]
pub async fn step_up(
    State(app): State<App>,
    caller: SignedIn,
    Json { value, .. }: Json<StepUp>,
) -> Result<Reply<SteppedUp>, ApiError> {
    let mut form = Form::new();
    let totp = form.text("totp", &value.totp);
    let recovery_code = form.text("recoveryCode", &value.recovery_code);
    let passkey = form.object("passkey", &value.passkey);
    form.finish()?;
    if totp.is_empty() && recovery_code.is_empty() && passkey.is_empty() {
        let sentence = "Enter the 6 digits of your authenticator, or a recovery code";
        return Err(ApiError::fields(vec![("totp".to_owned(), sentence.to_owned())]));
    }
    give(&app, caller, StepUpRequest { totp, recovery_code, passkey, ..Default::default() }).await
}

/// Passes the second factor to auth.
pub async fn give(app: &App, caller: SignedIn, request: StepUpRequest) -> Result<Reply<SteppedUp>, ApiError> {
    let message = StepUpRequest { client: Some(caller.client), ..request };
    let answer = call!(app.clients.factors, step_up, caller.out, message)?.into_inner();
    let message = "Thank you, that worked.".to_owned();
    Ok(ok(SteppedUp { success: true, message, until: moment(answer.until.as_ref()) }))
}
