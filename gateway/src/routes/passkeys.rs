//! Passkeys of the caller, a member or staff, and logging in by one. What browsers make and take is passed on as it is.

use axum::extract::{Path, State};
use proto::auth::v1 as auth;
use proto::auth::v1::{
    BeginPasskeyLoginRequest, BeginPasskeyRequest, BeginStepUpRequest, FinishPasskeyRequest, ListPasskeysRequest,
    LoginByPasskeyRequest, RemovePasskeyRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, Visitor, on_behalf};
use crate::json::{Field, Form, Json, Reply, created, known_moment, moment, ok};
use crate::routes::Done;
use crate::routes::auth::{SessionReply, bound, signed_in};
use crate::routes::factors::Proof;

/// A passkey of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Passkey {
    id: String,
    #[schema(example = "Firefox on Linux")]
    name: String,
    created_at: String,
    /// Null when it was never used.
    last_used_at: Option<String>,
}

impl TryFrom<auth::Passkey> for Passkey {
    type Error = ApiError;

    fn try_from(passkey: auth::Passkey) -> Result<Self, ApiError> {
        Ok(Self {
            id: passkey.id,
            name: passkey.name,
            created_at: known_moment(passkey.created_at.as_ref())?,
            last_used_at: moment(passkey.last_used_at.as_ref()),
        })
    }
}

/// The caller's passkeys, oldest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct PasskeysReply {
    success: bool,
    passkeys: Vec<Passkey>,
}

/// List the passkeys
#[utoipa::path(get, path = "/users/passkeys", responses((status = 200, body = PasskeysReply), Errors), tag = "Profile")]
pub async fn list(State(app): State<App>, caller: SignedIn) -> Result<Reply<PasskeysReply>, ApiError> {
    let answer = call_retrying!(app.clients.factors, list_passkeys, caller.out, ListPasskeysRequest {})?.into_inner();
    let passkeys = answer.passkeys.into_iter().map(Passkey::try_from).collect::<Result<_, _>>()?;
    Ok(ok(PasskeysReply { success: true, passkeys }))
}

/// What a browser is asked for a passkey with.
#[derive(Debug, Serialize, ToSchema)]
pub struct PasskeyOptions {
    success: bool,
    message: String,
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. Its challenge serves
    /// once, within five minutes.
    #[schema(value_type = Object)]
    options: Box<RawValue>,
}

impl PasskeyOptions {
    fn of(options: String) -> Result<Reply<Self>, ApiError> {
        let options = RawValue::from_string(options).map_err(ApiError::internal)?;
        Ok(ok(Self { success: true, message: "Continue with your passkey.".to_owned(), options }))
    }
}

/// Begin to add a passkey
#[utoipa::path(post, path = "/users/passkeys/begin", request_body = Proof,
    responses((status = 200, body = PasskeyOptions), Errors), tag = "Profile")]
pub async fn begin(
    State(app): State<App>,
    caller: SignedIn,
    Json { value, .. }: Json<Proof>,
) -> Result<Reply<PasskeyOptions>, ApiError> {
    let message = BeginPasskeyRequest { password: value.password()? };
    PasskeyOptions::of(call!(app.clients.factors, begin_passkey, caller.out, message)?.into_inner().options)
}

/// A passkey that a browser made.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewPasskey {
    /// `RegistrationResponseJSON` of WebAuthn.
    #[schema(value_type = Object)]
    credential: Field,
    /// At most 60 characters; browser and system if it is not sent.
    #[schema(value_type = Option<String>, example = "My phone")]
    name: Field,
}

/// A passkey that was added.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyAdded {
    success: bool,
    message: String,
    passkey: Passkey,
    /// Of an account that had none: each works once. They are not shown again.
    recovery_codes: Vec<String>,
}

/// Add a passkey
///
/// It logs in without a password, and counts as a second factor. No session ends.
#[utoipa::path(post, path = "/users/passkeys/finish", request_body = NewPasskey,
    responses((status = 201, body = PasskeyAdded), Errors), tag = "Profile")]
pub async fn finish(
    State(app): State<App>,
    caller: SignedIn,
    Json { value, .. }: Json<NewPasskey>,
) -> Result<Reply<PasskeyAdded>, ApiError> {
    let mut form = Form::new();
    let credential = form.object("credential", &value.credential);
    let name = form.text("name", &value.name);
    form.finish()?;
    let message = FinishPasskeyRequest { credential, name, client: Some(caller.client) };
    let added = call!(app.clients.factors, finish_passkey, caller.out, message)?.into_inner();
    let passkey = added.passkey.ok_or_else(|| ApiError::internal("an answer without passkey"))?.try_into()?;
    let message = "Your passkey has been added.".to_owned();
    Ok(created(PasskeyAdded { success: true, message, passkey, recovery_codes: added.recovery_codes }))
}

/// Remove a passkey
#[utoipa::path(delete, path = "/users/passkeys/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Done), Errors), tag = "Profile")]
pub async fn remove(
    State(app): State<App>,
    caller: SignedIn,
    Path(passkey_id): Path<String>,
) -> Result<Reply<Done>, ApiError> {
    let message = RemovePasskeyRequest { passkey_id, client: Some(caller.client) };
    call!(app.clients.factors, remove_passkey, caller.out, message)?;
    Ok(ok(Done::saying("The passkey has been removed.")))
}

/// What a passkey signs besides.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SignedDecision {
    /// The digest that the refusal `PASSKEY_SIGNATURE_REQUIRED` of a staff decision contained.
    #[schema(value_type = Option<String>)]
    digest: Field,
}

/// Begin to give a passkey again
///
/// With the digest of a decision, the passkey signs that decision.
#[utoipa::path(post, path = "/auth/step-up/passkey", request_body = SignedDecision,
    responses((status = 200, body = PasskeyOptions), Errors), tag = "Session")]
pub async fn begin_step_up(
    State(app): State<App>,
    caller: SignedIn,
    Json { value, .. }: Json<SignedDecision>,
) -> Result<Reply<PasskeyOptions>, ApiError> {
    let mut form = Form::new();
    let message = BeginStepUpRequest { digest: form.hex("digest", &value.digest) };
    form.finish()?;
    PasskeyOptions::of(call!(app.clients.factors, begin_step_up, caller.out, message)?.into_inner().options)
}

/// Begin to log in by a passkey
///
/// The same for every visitor: whichever passkey the browser has for this site may be used.
#[utoipa::path(post, path = "/auth/passkey/begin",
    responses((status = 200, body = PasskeyOptions), Errors), security(), tag = "Session")]
pub async fn begin_login(State(app): State<App>, caller: Visitor) -> Result<Reply<PasskeyOptions>, ApiError> {
    PasskeyOptions::of(
        call!(app.clients.auth, begin_passkey_login, caller.out, BeginPasskeyLoginRequest {})?.into_inner().options,
    )
}

/// A login by a passkey.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyLogin {
    /// `AuthenticationResponseJSON` of WebAuthn.
    #[schema(value_type = Object)]
    credential: Field,
    /// The public key (JWK, P-256) that the session is bound to: every request then needs a proof (DPoP, RFC 9449).
    #[schema(value_type = Option<Object>)]
    device_key: Field,
}

/// Log in by a passkey
///
/// Without password. It counts as a second factor given now.
#[utoipa::path(post, path = "/auth/passkey", request_body = PasskeyLogin,
    responses((status = 200, body = SessionReply), Errors), security(), tag = "Session")]
pub async fn login(
    State(app): State<App>,
    caller: Visitor,
    Json { value, .. }: Json<PasskeyLogin>,
) -> Result<Reply<SessionReply>, ApiError> {
    let mut form = Form::new();
    let message = LoginByPasskeyRequest {
        credential: form.object("credential", &value.credential),
        client: Some(bound(&mut form, caller.client, &value.device_key)),
    };
    form.finish()?;
    let answer = call!(app.clients.auth, login_by_passkey, caller.out, message)?.into_inner();
    let out = on_behalf(&app, &answer.token)?;
    Ok(ok(signed_in(&app, &out, answer.user, answer.token, "Welcome back.").await?))
}
