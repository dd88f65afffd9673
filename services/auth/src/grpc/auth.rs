use chassis::error::{Kind, Refusal};
use chassis::grpc::{Reply, answer, request_id};
use chassis::id::UserId;
use chassis::idempotency::Claim;
use chassis::identity::Session;
use chassis::page::Page;
use chassis::permission::MemberAct;
use chassis::{clock, db};
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{
    BeginPasskeyLoginRequest, BeginPasskeyLoginResponse, ChangePasswordRequest, ChangePasswordResponse,
    CheckClosingRequest, CheckClosingResponse, CheckSessionRequest, CheckSessionResponse, CloseAccountRequest,
    CloseAccountResponse, DisownActivityRequest, DisownActivityResponse, EndSessionRequest, EndSessionResponse,
    ForgotPasswordRequest, ForgotPasswordResponse, KeepAccountRequest, KeepAccountResponse, ListActivityRequest,
    ListActivityResponse, ListSessionsRequest, ListSessionsResponse, LoginByPasskeyRequest, LoginByPasskeyResponse,
    LoginRequest, LoginResponse, LogoutRequest, LogoutResponse, RegisterRequest, RegisterResponse, ResendCodeRequest,
    ResendCodeResponse, ResetPasswordRequest, ResetPasswordResponse, UndoEmailChangeRequest, UndoEmailChangeResponse,
    UpdateImageRequest, UpdateImageResponse, UpdateProfileRequest, UpdateProfileResponse, VerifyEmailRequest,
    VerifyEmailResponse,
};
use sha2::{Digest, Sha256};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{GrpcServer, convert};
use crate::app::account::close_account::{check_closing, close_account, keep_account};
use crate::app::account::disown_activity::disown_activity;
use crate::app::account::register::{Registration, register};
use crate::app::account::resend_code::resend_code;
use crate::app::account::undo_email_change::undo_email_change;
use crate::app::account::update_image::update_image;
use crate::app::account::update_profile::update_profile;
use crate::app::account::verify_email::{Submission, verify_email};
use crate::app::password::change_password::change_password;
use crate::app::password::forgot_password::forgot_password;
use crate::app::password::reset_password::{Reset, reset_password};
use crate::app::security::list_activity::list_activity;
use crate::app::security::securing::Recovered;
use crate::app::session::begin_passkey_login::begin_passkey_login;
use crate::app::session::check_session::check_session;
use crate::app::session::end_session::end_session;
use crate::app::session::list_sessions::list_sessions;
use crate::app::session::login::{Credentials, login};
use crate::app::session::login_by_passkey::login_by_passkey;
use crate::app::session::logout::logout;
use crate::domain::code::{self, Handle};
use crate::domain::details::Details;
use crate::domain::email::Email;
use crate::domain::fields::FieldErrors;
use crate::domain::password::{Form, Password};
use crate::domain::totp::Typed;
use crate::error::Error;
use crate::passkeys;

#[tonic::async_trait]
impl AuthService for GrpcServer {
    async fn register(&self, request: Request<RegisterRequest>) -> Reply<RegisterResponse> {
        self.verifier.visitor(request.metadata())?;
        let id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let registration = registration(&message)?;
        let owner = claimant(&registration.details.email);
        let claim = Claim::of(owner, message.idempotency.as_ref(), &id)?;
        let claim = claim.map(|claim| claim.sealed(|digest| self.app.secrets.fingerprint(digest)));
        let done = db::retrying(|| register(&self.app, &registration, claim.clone())).await?;
        Ok(answer(done.map(|new| RegisterResponse {
            verification: self.app.secrets.handle(Handle::Account(new.user.id)),
            user: Some(convert::user(new.user)),
            token: new.token,
        })))
    }

    async fn verify_email(&self, request: Request<VerifyEmailRequest>) -> Reply<VerifyEmailResponse> {
        self.verifier.visitor(request.metadata())?;
        let session = self.signed_in(request.metadata()).await?;
        let message = request.into_inner();
        let mut errors = FieldErrors::default();
        let email = errors.check("email", Email::parse(&message.email));
        let code = errors.check("otp", code::parse(&message.code));
        let (Some(email), Some(code)) = (email, code) else { return Err(Error::from(errors).into()) };
        let handle = match message.verification.trim() {
            "" => None,
            text => Some(self.app.secrets.read_handle(text).ok_or(Error::InvalidCode)?),
        };
        let device = convert::device(message.client.as_ref());
        let submission = Submission { email, code, session, handle, device };
        let reset_token = verify_email(&self.app, &submission).await?.unwrap_or_default();
        Ok(Response::new(VerifyEmailResponse { reset_token }))
    }

    async fn resend_code(&self, request: Request<ResendCodeRequest>) -> Reply<ResendCodeResponse> {
        self.verifier.visitor(request.metadata())?;
        let signed_in = self.signed_in(request.metadata()).await?;
        let message = request.into_inner();
        let email = only_email(&message.email)?;
        let signed_in = signed_in.map(|session| Handle::Account(session.user_id));
        let asker = signed_in.or_else(|| self.app.secrets.read_handle(message.verification.trim()));
        let device = convert::device(message.client.as_ref());
        let handle = resend_code(&self.app, &email, asker, &device).await?;
        Ok(Response::new(ResendCodeResponse { verification: self.app.secrets.handle(handle) }))
    }

    async fn login(&self, request: Request<LoginRequest>) -> Reply<LoginResponse> {
        self.verifier.visitor(request.metadata())?;
        let message = request.into_inner();
        let mut errors = FieldErrors::default();
        let email = errors.check("email", Email::parse(&message.email));
        let password = errors.check("password", Password::parse(&message.password, Form::Password));
        let totp = match message.totp.trim() {
            "" => Some(None),
            typed => errors.check("totp", Typed::parse(typed)).map(Some),
        };
        let (Some(email), Some(password), Some(totp)) = (email, password, totp) else {
            return Err(Error::from(errors).into());
        };
        let credentials = Credentials { email, password, totp, device: convert::device(message.client.as_ref()) };
        let signed_in = db::retrying(|| login(&self.app, &credentials)).await?;
        let user = signed_in.user;
        let verification = match user.verified_at {
            None => self.app.secrets.handle(Handle::Account(user.id)),
            Some(_) => String::new(),
        };
        Ok(Response::new(LoginResponse { user: Some(convert::user(user)), token: signed_in.token, verification }))
    }

    async fn begin_passkey_login(
        &self,
        request: Request<BeginPasskeyLoginRequest>,
    ) -> Reply<BeginPasskeyLoginResponse> {
        self.verifier.visitor(request.metadata())?;
        let options = begin_passkey_login(&self.app).await?;
        Ok(Response::new(BeginPasskeyLoginResponse { options }))
    }

    async fn login_by_passkey(&self, request: Request<LoginByPasskeyRequest>) -> Reply<LoginByPasskeyResponse> {
        self.verifier.visitor(request.metadata())?;
        let message = request.into_inner();
        let answer = passkeys::Answer::parse(&message.credential)?;
        let device = convert::device(message.client.as_ref());
        let signed_in = db::retrying(|| login_by_passkey(&self.app, &answer, &device)).await?;
        Ok(Response::new(LoginByPasskeyResponse { user: Some(convert::user(signed_in.user)), token: signed_in.token }))
    }

    async fn forgot_password(&self, request: Request<ForgotPasswordRequest>) -> Reply<ForgotPasswordResponse> {
        self.verifier.visitor(request.metadata())?;
        let message = request.into_inner();
        let email = only_email(&message.email)?;
        forgot_password(&self.app, &email, &convert::device(message.client.as_ref())).await?;
        Ok(Response::new(ForgotPasswordResponse {}))
    }

    async fn reset_password(&self, request: Request<ResetPasswordRequest>) -> Reply<ResetPasswordResponse> {
        self.verifier.visitor(request.metadata())?;
        let message = request.into_inner();
        let device = convert::device(message.client.as_ref());
        let (password, confirm_password) = (message.password, message.confirm_password);
        let reset = Reset { token: message.token, password, confirm_password, device };
        db::retrying(|| reset_password(&self.app, &reset)).await?;
        Ok(Response::new(ResetPasswordResponse {}))
    }

    async fn undo_email_change(&self, request: Request<UndoEmailChangeRequest>) -> Reply<UndoEmailChangeResponse> {
        self.verifier.visitor(request.metadata())?;
        let token = request.into_inner().token;
        let recovered = db::retrying(|| undo_email_change(&self.app, &token)).await?;
        Ok(Response::new(UndoEmailChangeResponse { is_address_taken: recovered == Recovered::AddressTaken }))
    }

    async fn disown_activity(&self, request: Request<DisownActivityRequest>) -> Reply<DisownActivityResponse> {
        self.verifier.visitor(request.metadata())?;
        let token = request.into_inner().token;
        let recovered = db::retrying(|| disown_activity(&self.app, &token)).await?;
        Ok(Response::new(DisownActivityResponse { is_address_taken: recovered == Recovered::AddressTaken }))
    }

    async fn check_session(&self, request: Request<CheckSessionRequest>) -> Reply<CheckSessionResponse> {
        let session = self.verifier.session(request.metadata()).await?;
        let checked = check_session(&self.app, &session, &request.get_ref().token).await?;
        Ok(Response::new(CheckSessionResponse { user: Some(convert::user(checked.user)), token: checked.token }))
    }

    async fn logout(&self, request: Request<LogoutRequest>) -> Reply<LogoutResponse> {
        let session = self.verifier.session(request.metadata()).await?;
        db::retrying(|| logout(&self.app, &session)).await?;
        Ok(Response::new(LogoutResponse {}))
    }

    async fn list_sessions(&self, request: Request<ListSessionsRequest>) -> Reply<ListSessionsResponse> {
        let session = self.verifier.session(request.metadata()).await?;
        let sessions = list_sessions(&self.app, session.user_id).await?;
        let sessions = sessions.into_iter().map(|one| convert::session(one, Some(session.id))).collect();
        Ok(Response::new(ListSessionsResponse { sessions }))
    }

    async fn end_session(&self, request: Request<EndSessionRequest>) -> Reply<EndSessionResponse> {
        let session = self.verifier.session(request.metadata()).await?;
        let id = convert::id(&request.get_ref().session_id, "session")?;
        db::retrying(|| end_session(&self.app, &session, id)).await?;
        Ok(Response::new(EndSessionResponse {}))
    }

    async fn list_activity(&self, request: Request<ListActivityRequest>) -> Reply<ListActivityResponse> {
        let session = self.verifier.session(request.metadata()).await?;
        let page = Page::parse(request.into_inner().page, convert::PAGE)?;
        let (events, next_cursor) = list_activity(&self.app, session.user_id, &page).await?;
        let events = events.into_iter().map(convert::security_event).collect();
        Ok(Response::new(ListActivityResponse { events, next_cursor }))
    }

    async fn update_profile(&self, request: Request<UpdateProfileRequest>) -> Reply<UpdateProfileResponse> {
        let session = self.member(request.metadata(), MemberAct::ChangeDetails).await?;
        let message = request.into_inner();
        own(&session, &message.user_id)?;
        let mut errors = FieldErrors::default();
        let details = Details::parse(&message.name, &message.email, &message.phone, &message.country, &mut errors);
        let Some(details) = details else { return Err(Error::from(errors).into()) };
        let password = &message.current_password;
        let user = db::retrying(|| update_profile(&self.app, &session, &details, password)).await?;
        Ok(Response::new(UpdateProfileResponse { user: Some(convert::user(user)) }))
    }

    async fn update_image(&self, request: Request<UpdateImageRequest>) -> Reply<UpdateImageResponse> {
        let session = self.member(request.metadata(), MemberAct::ChangeDetails).await?;
        let message = request.into_inner();
        own(&session, &message.user_id)?;
        let updated = db::retrying(|| update_image(&self.app, session.user_id, &message.image_key)).await?;
        let user = Some(convert::user(updated.user));
        Ok(Response::new(UpdateImageResponse { user, replaced_image_key: updated.replaced }))
    }

    async fn change_password(&self, request: Request<ChangePasswordRequest>) -> Reply<ChangePasswordResponse> {
        let session = self.member(request.metadata(), MemberAct::ChangePassword).await?;
        let message = request.into_inner();
        own(&session, &message.user_id)?;
        db::retrying(|| change_password(&self.app, &session, &message.old_password, &message.new_password)).await?;
        Ok(Response::new(ChangePasswordResponse {}))
    }

    async fn close_account(&self, request: Request<CloseAccountRequest>) -> Reply<CloseAccountResponse> {
        let session = self.member(request.metadata(), MemberAct::CloseAccount).await?;
        let CloseAccountRequest { password, give_up_bonus } = request.into_inner();
        let closes_at = db::retrying(|| close_account(&self.app, &session, &password, give_up_bonus)).await?;
        Ok(Response::new(CloseAccountResponse { closes_at: Some(clock::to_proto(closes_at)) }))
    }

    async fn check_closing(&self, request: Request<CheckClosingRequest>) -> Reply<CheckClosingResponse> {
        let session = self.member(request.metadata(), MemberAct::CloseAccount).await?;
        let CheckClosingRequest { password, give_up_bonus } = request.into_inner();
        db::retrying(|| check_closing(&self.app, &session, &password, give_up_bonus)).await?;
        Ok(Response::new(CheckClosingResponse {}))
    }

    async fn keep_account(&self, request: Request<KeepAccountRequest>) -> Reply<KeepAccountResponse> {
        let session = self.verifier.session(request.metadata()).await?;
        db::retrying(|| keep_account(&self.app, &session)).await?;
        Ok(Response::new(KeepAccountResponse {}))
    }
}

impl GrpcServer {
    /// The session of a call that works without one, too; one that ended is as good as none.
    async fn signed_in(&self, metadata: &MetadataMap) -> Result<Option<Session>, Status> {
        match self.verifier.session(metadata).await {
            Ok(session) => Ok(Some(session)),
            Err(refusal) if refusal.kind == Kind::Unauthenticated => Ok(None),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// The calling member, if they may do this.
    async fn member(&self, metadata: &MetadataMap, act: MemberAct) -> Result<Session, Refusal> {
        self.verifier.member(metadata, act).await
    }
}

fn registration(message: &RegisterRequest) -> Result<Registration, Error> {
    let mut errors = FieldErrors::default();
    let details = Details::parse(&message.name, &message.email, &message.phone, &message.country, &mut errors);
    let chosen = Password::choose(&message.password, Form::Password, message.name.trim(), message.email.trim());
    let password = errors.check("password", chosen);
    let (Some(details), Some(password)) = (details, password) else { return Err(errors.into()) };
    Ok(Registration { details, password, device: convert::device(message.client.as_ref()) })
}

fn only_email(text: &str) -> Result<Email, Error> {
    Email::parse(text).map_err(|sentence| Error::field("email", sentence))
}

/// The owner of an idempotency key without a session: the address.
fn claimant(email: &Email) -> UserId {
    let hash = Sha256::digest(email.folded().as_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
    Uuid::from_bytes(bytes).into()
}

/// Another's account is as good as none (D-P1).
fn own(session: &Session, user_id: &str) -> Result<(), Status> {
    match convert::id::<UserId>(user_id, "account") {
        Ok(id) if id == session.user_id => Ok(()),
        _ => Err(Error::NotFound("account").into()),
    }
}
