//! The second factor of the caller, a member or staff, and the step-up.

use proto::auth::v1::{
    self as auth, BeginTotpRequest, ConfirmTotpRequest, GetFactorsRequest, RemoveTotpRequest,
    ReplaceRecoveryCodesRequest, StepUpRequest,
};
use route_macros::{delete, get, post, request, response};

use crate::extract::{Caller, SignedIn};
use crate::http::convert::from_proto;
use crate::http::json::{Answer, Done, Field, Form, Json, Reply, ToProto, done, field, ok, reply};
use crate::peers::clients::{ask, send};

/// State of the second factor.
#[response(from = auth::GetFactorsResponse, from = auth::GetMeResponse)]
pub struct TotpState {
    /// Whether the account must have a second factor.
    #[from(totp_required)]
    pub required: bool,
    /// Whether an authenticator is active.
    #[from(totp_enrolled)]
    pub enrolled: bool,
    /// Number of passkeys.
    pub passkeys: i32,
    /// Unused recovery codes.
    pub recovery_codes_left: i32,
}

/// The caller's second factor.
#[response(from = auth::GetFactorsResponse)]
pub struct TotpReply {
    #[from(self)]
    totp: TotpState,
    /// Until when the last code counts as a fresh second factor. `null` if it no longer does.
    #[from(stepped_up_until)]
    #[nullable]
    step_up_until: Option<String>,
}

/// Get the second factor
#[get("/users/totp", "Profile")]
pub async fn get(caller: SignedIn) -> Answer<TotpReply> {
    reply(ask!(caller.factors.get_factors(GetFactorsRequest {}))?)
}

/// The proof of a member without a second factor.
#[request]
pub struct Proof {
    /// Required from members without a second factor. Others need a fresh code instead.
    #[schema(example = "a good password")]
    pub password: Field<Option<String>>,
}

/// An authenticator that is not confirmed yet.
#[response]
pub struct NewTotp {
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
#[post("/users/totp", "Profile")]
pub async fn begin_totp(caller: SignedIn, Json { value, .. }: Json<Proof>) -> Answer<NewTotp> {
    begin(caller, BeginTotpRequest { password: value.password.text("password")? }).await
}

/// Requests the secret from auth.
pub async fn begin<R>(caller: Caller<R>, message: BeginTotpRequest) -> Answer<NewTotp> {
    let new = send!(caller.factors.begin_totp(message))?;
    let message = "Add the secret to your authenticator, then enter its first code.".to_owned();
    Ok(ok(NewTotp { message, secret: new.secret, uri: new.uri }))
}

/// A code of an authenticator.
#[request]
pub struct Code {
    /// Six digits of the authenticator, or a recovery code where one is accepted.
    #[schema(example = "123456")]
    pub code: Field<String>,
}

/// Recovery codes, each of which replaces a code of the authenticator once.
#[response]
pub struct RecoveryCodes {
    message: String,
    /// The codes. They are not shown again.
    #[schema(example = json!(["ABCDE-FGHJK"]))]
    recovery_codes: Vec<String>,
}

impl RecoveryCodes {
    fn saying(message: &str, recovery_codes: Vec<String>) -> Reply<Self> {
        ok(Self { message: message.to_owned(), recovery_codes })
    }
}

/// Confirm an authenticator
///
/// From then on, logging in takes a code of it, and withdrawals, addresses, email, password and the authenticator itself
/// take one that is at most five minutes old. No session ends.
#[post("/users/totp/confirm", "Profile")]
pub async fn confirm_totp(caller: SignedIn, Json { value, .. }: Json<Code>) -> Answer<RecoveryCodes> {
    confirm(caller, value.code.text("code")?).await
}

/// Confirms the authenticator with its first code.
pub async fn confirm<R>(caller: Caller<R>, code: String) -> Answer<RecoveryCodes> {
    let message = ConfirmTotpRequest { code, client: Some(caller.client) };
    let answer = send!(caller.factors.confirm_totp(message))?;
    let sentence = "Your authenticator is set up. Keep the recovery codes in a safe place.";
    Ok(RecoveryCodes::saying(sentence, answer.recovery_codes))
}

/// Remove the authenticator
#[delete("/users/totp", "Profile")]
pub async fn remove_totp(caller: SignedIn) -> Answer<Done> {
    let message = RemoveTotpRequest { client: Some(caller.client) };
    send!(caller.factors.remove_totp(message))?;
    done("Two-factor authentication is off.")
}

/// Make new recovery codes
///
/// Those before no longer work.
#[post("/users/totp/recovery-codes", "Profile")]
pub async fn replace_recovery_codes(caller: SignedIn) -> Answer<RecoveryCodes> {
    let message = ReplaceRecoveryCodesRequest { client: Some(caller.client) };
    let answer = send!(caller.factors.replace_recovery_codes(message))?;
    Ok(RecoveryCodes::saying("Your new recovery codes replace the ones before.", answer.recovery_codes))
}

/// The second factor.
#[request(to = StepUpRequest)]
pub struct StepUp {
    /// Six digits of the authenticator, or a recovery code.
    #[schema(example = "123456")]
    totp: Field<Option<String>>,
    #[schema(example = "ABCDE-FGHJK")]
    recovery_code: Field<Option<String>>,
    /// `AuthenticationResponseJSON` of WebAuthn, by the options of `POST /auth/step-up/passkey`.
    #[to(with = Form::object)]
    #[schema(value_type = Option<Object>)]
    passkey: Field,
}

/// The result of a step-up.
#[response]
pub struct SteppedUp {
    message: String,
    /// Until when the second factor counts as fresh.
    #[nullable]
    until: Option<String>,
}

/// Give a second factor again
///
/// For five minutes it opens every call that answers STEP_UP_REQUIRED without one. 20 wrong ones lock it for an hour.
#[post("/auth/step-up", "Session")]
pub async fn step_up(caller: SignedIn, Json { value, .. }: Json<StepUp>) -> Answer<SteppedUp> {
    let message: StepUpRequest = value.to_proto()?;
    if message.totp.is_empty() && message.recovery_code.is_empty() && message.passkey.is_empty() {
        let sentence = "Enter the 6 digits of your authenticator, or a recovery code";
        return Err(field("totp", sentence));
    }
    give(caller, message).await
}

/// Passes the second factor to auth.
pub async fn give<R>(caller: Caller<R>, request: StepUpRequest) -> Answer<SteppedUp> {
    let message = StepUpRequest { client: Some(caller.client), ..request };
    let answer = send!(caller.factors.step_up(message))?;
    let message = "Thank you, that worked.".to_owned();
    Ok(ok(SteppedUp { message, until: from_proto(answer.until)? }))
}
