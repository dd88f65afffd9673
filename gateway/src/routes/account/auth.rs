//! Registration, login, email codes, password resets and sessions.

use axum::extract::{FromRequest, Multipart, Path, Query, Request};
use axum::http::header;
use chassis::grpc::Outgoing;
use proto::auth::v1 as auth;
use proto::auth::v1::{
    CheckSessionRequest, DisownActivityRequest, EndSessionRequest, ForgotPasswordRequest, ListSessionsRequest,
    LoginRequest, LogoutRequest, RegisterRequest, ResendCodeRequest, ResetPasswordRequest, UndoEmailChangeRequest,
    VerifyEmailRequest,
};
use route_macros::{delete, get, post, request, response};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::extract::{MaybeSignedIn, SignedIn, Visitor, on_behalf};
use crate::http::convert::{from_proto, non_empty, required};
use crate::http::error::ApiError;
use crate::http::idempotency::Keyed;
use crate::http::json::{
    self, Answer, Created, Done, Field, Form, Json, Kept, ToProto, created, done, marked, ok, reply,
};
use crate::peers::clients::{ask, keyed, send};
use crate::proofs;
use crate::routes::account::users::{User, wallet_of};

/// A new session.
#[response]
pub struct SessionReply {
    message: String,
    user: User,
    /// The bearer token of the session.
    token: String,
    /// `true` if the balances are not available now.
    degraded: Option<bool>,
    /// Handle for the email codes of this account. Present only while the email is unconfirmed.
    verification: Option<String>,
}

impl SessionReply {
    fn with_verification(self, handle: String) -> Self {
        Self { verification: non_empty(handle), ..self }
    }
}

pub async fn signed_in(
    app: &App,
    out: &Outgoing,
    user: Option<auth::User>,
    token: String,
    message: &str,
) -> Result<SessionReply, ApiError> {
    let user = required(user, "a user")?;
    let wallet = wallet_of(app, out, &user).await;
    let degraded = (wallet.is_none() && user.role.is_empty()).then_some(true);
    let user = User::new(user, wallet)?;
    Ok(SessionReply { message: message.to_owned(), user, token, degraded, verification: None })
}

/// A new account.
#[request(to = RegisterRequest)]
pub struct Registration {
    #[schema(example = "Ada Lovelace")]
    name: Field<String>,
    #[schema(example = "ada@example.org")]
    email: Field<String>,
    #[schema(example = "a good password")]
    password: Field<String>,
    #[schema(example = "+44 20 7946 0000")]
    phone: Field<String>,
    /// English name of the country.
    #[schema(example = "United Kingdom")]
    country: Field<String>,
    /// The public key (JWK, P-256) that the session is bound to: every request then needs a proof (DPoP, RFC 9449).
    #[to(skip)]
    #[schema(value_type = Option<Object>)]
    device_key: Field,
}

/// Register
#[post("/auth/register", "Session")]
pub async fn register(caller: Visitor, Keyed { value, claim }: Keyed<Registration>) -> Created<SessionReply> {
    let mut form = Form::new();
    let mut message: RegisterRequest = value.fill(&mut form);
    message.client = Some(bound(&mut form, caller.client, &value.device_key));
    message.idempotency = claim;
    form.finish()?;
    let Kept { sent, is_replay } = keyed!(caller.auth.register(message))?;
    let out = on_behalf(&caller.app, &sent.token)?;
    let sentence = "Your account has been created. We sent a code to your email address.";
    let reply = signed_in(&caller.app, &out, sent.user, sent.token, sentence).await?;
    Ok(marked(is_replay, created(reply.with_verification(sent.verification))))
}

/// A code to confirm an address.
#[request(to = VerifyEmailRequest)]
pub struct Verification {
    #[schema(example = "ada@example.org")]
    email: Field<String>,
    /// The emailed code, six digits.
    #[to(code)]
    #[schema(example = "123456")]
    otp: Field<String>,
    /// The handle from register, login or resend. Not needed with a session.
    verification: Field<Option<String>>,
}

/// A confirmed address.
#[response]
pub struct VerifyReply {
    message: String,
    /// The token to set a password with, as that of a reset link. Missing where the password stays.
    reset_token: Option<String>,
}

/// Confirm an email address
///
/// A code belongs to the session, or to the handle, that it was asked with. Without either it works, too, but is slowed
/// down after a few wrong ones. If the code of a new account comes without the session or handle of its registration or login,
/// the person who registered may be somebody else: the password is gone, every session ends, and `resetToken` sets a new one.
#[post("/auth/verify", "Session")]
pub async fn verify(caller: MaybeSignedIn, Json { value, .. }: Json<Verification>) -> Answer<VerifyReply> {
    let message = VerifyEmailRequest { client: Some(caller.client.clone()), ..value.to_proto()? };
    let reset_token: Option<String> = from_proto(send!(caller.auth.verify_email(message))?.reset_token)?;
    let message = match reset_token {
        Some(_) => "Your email address has been verified. Please set a password.",
        None => "Your email address has been verified.",
    };
    Ok(ok(VerifyReply { message: message.to_owned(), reset_token }))
}

/// The account that needs a new code.
#[request(to = ResendCodeRequest)]
pub struct Resend {
    #[schema(example = "ada@example.org")]
    email: Field<String>,
    /// The previous handle, if there was one. The new code belongs to it, too.
    verification: Field<Option<String>>,
}

/// The response is the same whether or not the account exists.
#[response]
pub struct ResendReply {
    message: String,
    /// Handle for the code.
    verification: String,
}

/// Send a new code
#[post("/auth/resend", "Session")]
pub async fn resend(caller: MaybeSignedIn, Json { value, .. }: Json<Resend>) -> Answer<ResendReply> {
    let message = ResendCodeRequest { client: Some(caller.client.clone()), ..value.to_proto()? };
    let verification = send!(caller.auth.resend_code(message))?.verification;
    let message = "If this address needs a code, it is on its way.".to_owned();
    Ok(ok(ResendReply { message, verification }))
}

/// The credentials of an account.
#[request(to = LoginRequest)]
pub struct Login {
    #[schema(example = "ada@example.org")]
    email: Field<String>,
    #[schema(example = "a good password")]
    password: Field<String>,
    /// Six digits of the authenticator, or a recovery code. Required from accounts with a second factor.
    #[schema(example = "123456")]
    totp: Field<Option<String>>,
    /// The public key (JWK, P-256) that the session is bound to: every request then needs a proof (DPoP, RFC 9449).
    #[to(skip)]
    #[schema(value_type = Option<Object>)]
    device_key: Field,
}

/// The client of a new session, with the key that the session is bound to.
pub fn bound(form: &mut Form, client: auth::Client, device_key: &Field) -> auth::Client {
    let jwk = form.object("deviceKey", device_key);
    if jwk.is_empty() {
        return client;
    }
    let device_key = proofs::thumbprint(&jwk).unwrap_or_else(|| {
        form.wrong("deviceKey", "This must be a public key (JWK) of P-256.");
        String::new()
    });
    auth::Client { device_key, ..client }
}

/// Log in
#[post("/auth/login", "Session")]
pub async fn login(caller: Visitor, Json { value, .. }: Json<Login>) -> Answer<SessionReply> {
    let mut form = Form::new();
    let mut message: LoginRequest = value.fill(&mut form);
    message.client = Some(bound(&mut form, caller.client, &value.device_key));
    form.finish()?;
    let answer = send!(caller.auth.login(message))?;
    let out = on_behalf(&caller.app, &answer.token)?;
    let reply = signed_in(&caller.app, &out, answer.user, answer.token, "Welcome back.").await?;
    Ok(ok(reply.with_verification(answer.verification)))
}

/// Fields that browsers send as form data and programs as JSON.
#[derive(Debug, Default)]
pub struct FormData(Vec<(String, String)>);

impl FormData {
    fn take(&mut self, name: &str) -> String {
        let at = self.0.iter().position(|(field, _)| field == name);
        at.map(|at| self.0.swap_remove(at).1).unwrap_or_default()
    }
}

impl FromRequest<App> for FormData {
    type Rejection = ApiError;
    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let unreadable = || ApiError::malformed("The form could not be read.");
        let kind =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") {
            let Json { value, .. } =
                Json::<std::collections::BTreeMap<String, Field>>::from_request(request, app).await?;
            let mut form = Form::new();
            let fields = value.iter().map(|(name, field)| (name.clone(), form.text(name, field))).collect();
            form.finish()?;
            return Ok(Self(fields));
        }
        if kind.starts_with("application/x-www-form-urlencoded") {
            let bytes = json::read(request.into_body()).await?;
            return axum::Form::<Vec<(String, String)>>::from_request(
                Request::post("/")
                    .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(bytes.into())
                    .map_err(ApiError::internal)?,
                app,
            )
            .await
            .map(|axum::Form(fields)| Self(fields))
            .map_err(|_| unreadable());
        }
        if !kind.starts_with("multipart/form-data") {
            return Err(ApiError::unsupported("Please send form data or JSON."));
        }
        let (parts, body) = request.into_parts();
        let bytes = json::read(body).await?;
        let request = Request::from_parts(parts, bytes.into());
        let mut multipart = Multipart::from_request(request, app).await.map_err(|_| unreadable())?;
        let mut fields = Vec::new();
        while let Some(field) = multipart.next_field().await.map_err(|_| unreadable())? {
            let Some(name) = field.name().map(ToOwned::to_owned) else { continue };
            fields.push((name, field.text().await.map_err(|_| unreadable())?));
        }
        Ok(Self(fields))
    }
}

/// The account whose password is forgotten.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "for the document; FormData reads it")]
pub struct Forgotten {
    #[schema(example = "ada@example.org")]
    email: String,
}

/// Ask for a reset link
#[post("/auth/forgot-password", "Session",
    request_body(content((Forgotten = "multipart/form-data"), (Forgotten = "application/x-www-form-urlencoded"), (Forgotten = "application/json"))))]
pub async fn forgot_password(caller: Visitor, mut form: FormData) -> Answer<Done> {
    let message = ForgotPasswordRequest { email: form.take("email"), client: Some(caller.client) };
    send!(caller.auth.forgot_password(message))?;
    done("If an account exists for this address, a reset link is on its way.")
}

/// A new password by a reset link.
#[derive(Debug, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "for the document; FormData reads it")]
pub struct Reset {
    password: String,
    confirm_password: String,
    /// The token of the reset link, unless it is in the query.
    token: Option<String>,
}

/// A token in the query.
#[derive(Debug, Default, Deserialize)]
pub struct TokenQuery {
    token: Option<String>,
}

/// Set a new password by a reset link
#[post("/auth/reset-password", "Session",
    params(("token" = Option<String>, Query)),
    request_body(content((Reset = "multipart/form-data"), (Reset = "application/x-www-form-urlencoded"), (Reset = "application/json"))))]
pub async fn reset_password(caller: Visitor, Query(query): Query<TokenQuery>, mut form: FormData) -> Answer<Done> {
    let in_query = query.token.unwrap_or_default();
    let token = non_empty(form.take("token")).unwrap_or(in_query);
    let (password, confirm_password) = (form.take("password"), form.take("confirmPassword"));
    let message = ResetPasswordRequest { token, password, confirm_password, client: Some(caller.client) };
    send!(caller.auth.reset_password(message))?;
    done("Your password has been reset. Please log in.")
}

/// The token of a link in a security mail.
#[request(to = UndoEmailChangeRequest, to = DisownActivityRequest)]
pub struct LinkToken {
    token: Field<String>,
}

/// What a link of a security mail did.
#[response]
pub struct RecoveryReply {
    message: String,
    /// Another account has the address that should be in force again: the account is frozen, and no link was mailed. Missing
    /// otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    is_address_taken: bool,
}

impl RecoveryReply {
    fn new(done: &str, is_address_taken: bool) -> Self {
        let taken = "Everybody is logged out, and your account is frozen. Your old email address could not be restored \
            because another account uses it now. Please contact support.";
        let message = if is_address_taken { taken } else { done }.to_owned();
        Self { message, is_address_taken }
    }
}

/// Undo a change of email
///
/// By the link mailed to the old address, good for 72 hours: that address is in force again, every session ends, the
/// password is unusable, and nothing is paid out until a new one is set by the link mailed then.
#[post("/auth/undo", "Session")]
pub async fn undo(caller: Visitor, Json { value, .. }: Json<LinkToken>) -> Answer<RecoveryReply> {
    let answer = send!(caller.auth.undo_email_change(value.to_proto()?))?;
    let done = "Your old email address is back. We have mailed it a link to set a new password.";
    Ok(ok(RecoveryReply::new(done, answer.is_address_taken)))
}

/// Say that it was not you
///
/// By the link "This was not me" of a security mail, good for 72 hours: every session ends, the password is unusable, and
/// nothing is paid out until a new one is set by the link mailed then.
#[post("/auth/not-me", "Session")]
pub async fn not_me(caller: Visitor, Json { value, .. }: Json<LinkToken>) -> Answer<RecoveryReply> {
    let answer = send!(caller.auth.disown_activity(value.to_proto()?))?;
    let done = "Everybody is logged out. We have mailed you a link to set a new password.";
    Ok(ok(RecoveryReply::new(done, answer.is_address_taken)))
}

/// Check the session
#[get("/auth/check", "Session")]
pub async fn check(caller: SignedIn) -> Answer<SessionReply> {
    let message = CheckSessionRequest { token: caller.token.clone() };
    let answer = ask!(caller.auth.check_session(message))?;
    Ok(ok(signed_in(&caller.app, &caller.out, answer.user, answer.token, "You are logged in.").await?))
}

/// Log out
#[post("/auth/logout", "Session")]
pub async fn logout(caller: SignedIn) -> Answer<Done> {
    send!(caller.auth.logout(LogoutRequest {}))?;
    done("You have been logged out.")
}

/// A session of the account.
#[response(from = auth::Session)]
pub struct Session {
    /// Id of the session.
    pub id: String,
    /// Whether this session made the request.
    pub current: bool,
    /// When the session began.
    pub created_at: String,
    /// When the session was last used.
    pub last_seen_at: String,
    /// Browser and operating system.
    pub device: String,
    /// IP address of the client.
    pub address: String,
}

/// The member's sessions.
#[response(from = auth::ListSessionsResponse)]
pub struct SessionsReply {
    sessions: Vec<Session>,
}

/// List the sessions
#[get("/auth/sessions", "Session")]
pub async fn list_sessions(caller: SignedIn) -> Answer<SessionsReply> {
    reply(ask!(caller.auth.list_sessions(ListSessionsRequest {}))?)
}

/// End a session
#[delete("/auth/sessions/{id}", "Session")]
pub async fn end_session(caller: SignedIn, Path(session_id): Path<String>) -> Answer<Done> {
    send!(caller.auth.end_session(EndSessionRequest { session_id }))?;
    done("The session has been ended.")
}
