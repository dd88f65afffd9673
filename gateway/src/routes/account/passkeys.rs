//! Passkeys of the caller, a member or staff, and logging in by one. What browsers make and take is passed on as it is.

use axum::extract::Path;
use proto::auth::v1 as auth;
use proto::auth::v1::{
    BeginPasskeyLoginRequest, BeginPasskeyRequest, BeginStepUpRequest, FinishPasskeyRequest, ListPasskeysRequest,
    LoginByPasskeyRequest, RemovePasskeyRequest,
};
use route_macros::{delete, get, post, request, response};
use serde_json::value::RawValue;

use crate::extract::{SignedIn, Visitor, on_behalf};
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::json::{Answer, Created, Done, Field, Form, Json, ToProto, created, done, ok, reply};
use crate::peers::clients::{ask, send};
use crate::routes::account::auth::{SessionReply, bound, signed_in};
use crate::routes::account::factors::Proof;

/// A passkey of the caller.
#[response(from = auth::Passkey)]
pub struct Passkey {
    id: String,
    #[schema(example = "Firefox on Linux")]
    name: String,
    created_at: String,
    /// Null when it was never used.
    #[nullable]
    last_used_at: Option<String>,
}

/// The caller's passkeys, oldest first.
#[response(from = auth::ListPasskeysResponse)]
pub struct PasskeysReply {
    passkeys: Vec<Passkey>,
}

/// List the passkeys
#[get("/users/passkeys", "Profile")]
pub async fn list(caller: SignedIn) -> Answer<PasskeysReply> {
    reply(ask!(caller.factors.list_passkeys(ListPasskeysRequest {}))?)
}

/// What a browser is asked for a passkey with.
#[response]
pub struct PasskeyOptions {
    message: String,
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. Its challenge serves
    /// once, within five minutes.
    #[schema(value_type = Object)]
    options: Box<RawValue>,
}

impl PasskeyOptions {
    fn of(options: String) -> Answer<Self> {
        let options = RawValue::from_string(options).map_err(ApiError::internal)?;
        Ok(ok(Self { message: "Continue with your passkey.".to_owned(), options }))
    }
}

/// Begin to add a passkey
#[post("/users/passkeys/begin", "Profile")]
pub async fn begin(caller: SignedIn, Json { value, .. }: Json<Proof>) -> Answer<PasskeyOptions> {
    let message = BeginPasskeyRequest { password: value.password.text("password")? };
    PasskeyOptions::of(send!(caller.factors.begin_passkey(message))?.options)
}

/// A passkey that a browser made.
#[request(to = FinishPasskeyRequest)]
pub struct NewPasskey {
    /// `RegistrationResponseJSON` of WebAuthn.
    #[to(with = Form::object)]
    #[schema(value_type = Object)]
    credential: Field,
    /// At most 60 characters; browser and system if it is not sent.
    #[schema(example = "My phone")]
    name: Field<Option<String>>,
}

/// A passkey that was added.
#[response]
pub struct PasskeyAdded {
    message: String,
    passkey: Passkey,
    /// Of an account that had none: each works once. They are not shown again.
    recovery_codes: Vec<String>,
}

/// Add a passkey
///
/// It logs in without a password, and counts as a second factor. No session ends.
#[post("/users/passkeys/finish", "Profile")]
pub async fn finish(caller: SignedIn, Json { value, .. }: Json<NewPasskey>) -> Created<PasskeyAdded> {
    let message = FinishPasskeyRequest { client: Some(caller.client), ..value.to_proto()? };
    let added = send!(caller.factors.finish_passkey(message))?;
    let message = "Your passkey has been added.".to_owned();
    let passkey = from_proto(added.passkey)?;
    Ok(created(PasskeyAdded { message, passkey, recovery_codes: added.recovery_codes }))
}

/// Remove a passkey
#[delete("/users/passkeys/{id}", "Profile")]
pub async fn remove(caller: SignedIn, Path(passkey_id): Path<String>) -> Answer<Done> {
    let message = RemovePasskeyRequest { passkey_id, client: Some(caller.client) };
    send!(caller.factors.remove_passkey(message))?;
    done("The passkey has been removed.")
}

/// What a passkey signs besides.
#[request(to = BeginStepUpRequest)]
pub struct SignedDecision {
    /// The digest that the refusal `PASSKEY_SIGNATURE_REQUIRED` of a staff decision contained.
    digest: Field<Option<String>>,
}

/// Begin to give a passkey again
///
/// With the digest of a decision, the passkey signs that decision.
#[post("/auth/step-up/passkey", "Session")]
pub async fn begin_step_up(caller: SignedIn, Json { value, .. }: Json<SignedDecision>) -> Answer<PasskeyOptions> {
    PasskeyOptions::of(send!(caller.factors.begin_step_up(value.to_proto()?))?.options)
}

/// Begin to log in by a passkey
///
/// The same for every visitor: whichever passkey the browser has for this site may be used.
#[post("/auth/passkey/begin", "Session")]
pub async fn begin_login(caller: Visitor) -> Answer<PasskeyOptions> {
    PasskeyOptions::of(send!(caller.auth.begin_passkey_login(BeginPasskeyLoginRequest {}))?.options)
}

/// A login by a passkey.
#[request(to = LoginByPasskeyRequest)]
pub struct PasskeyLogin {
    /// `AuthenticationResponseJSON` of WebAuthn.
    #[to(with = Form::object)]
    #[schema(value_type = Object)]
    credential: Field,
    /// The public key (JWK, P-256) that the session is bound to: every request then needs a proof (DPoP, RFC 9449).
    #[to(skip)]
    #[schema(value_type = Option<Object>)]
    device_key: Field,
}

/// Log in by a passkey
///
/// Without password. It counts as a second factor given now.
#[post("/auth/passkey", "Session")]
pub async fn login(caller: Visitor, Json { value, .. }: Json<PasskeyLogin>) -> Answer<SessionReply> {
    let mut form = Form::new();
    let mut message: LoginByPasskeyRequest = value.fill(&mut form);
    message.client = Some(bound(&mut form, caller.client, &value.device_key));
    form.finish()?;
    let answer = send!(caller.auth.login_by_passkey(message))?;
    let out = on_behalf(&caller.app, &answer.token)?;
    Ok(ok(signed_in(&caller.app, &out, answer.user, answer.token, "Welcome back.").await?))
}
