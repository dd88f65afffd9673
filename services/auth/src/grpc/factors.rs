//! FactorService: the second factors of the caller, a member or staff.

use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::identity::Session;
use chassis::{clock, db};
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::{
    BeginPasskeyRequest, BeginPasskeyResponse, BeginStepUpRequest, BeginStepUpResponse, BeginTotpRequest,
    BeginTotpResponse, ConfirmTotpRequest, ConfirmTotpResponse, FinishPasskeyRequest, FinishPasskeyResponse,
    GetFactorsRequest, GetFactorsResponse, ListPasskeysRequest, ListPasskeysResponse, RemovePasskeyRequest,
    RemovePasskeyResponse, RemoveTotpRequest, RemoveTotpResponse, ReplaceRecoveryCodesRequest,
    ReplaceRecoveryCodesResponse, StepUpRequest, StepUpResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::decision::digest;
use super::{GrpcServer, convert};
use crate::app::factor::begin_passkey::begin_passkey;
use crate::app::factor::begin_step_up::begin_step_up;
use crate::app::factor::begin_totp::begin_totp;
use crate::app::factor::confirm_totp::confirm_totp;
use crate::app::factor::finish_passkey::finish_passkey;
use crate::app::factor::get_factors::get_factors;
use crate::app::factor::list_passkeys::list_passkeys;
use crate::app::factor::remove_passkey::remove_passkey;
use crate::app::factor::remove_totp::remove_totp;
use crate::app::factor::replace_recovery_codes::replace_recovery_codes;
use crate::app::factor::step_up::{Factor, step_up};
use crate::domain::passkey;
use crate::domain::totp::Typed;
use crate::error::Error;
use crate::passkeys::{Answer as PasskeyAnswer, NewCredential};

#[tonic::async_trait]
impl FactorService for GrpcServer {
    async fn get_factors(&self, request: Request<GetFactorsRequest>) -> Reply<GetFactorsResponse> {
        let session = self.viewer(request.metadata()).await?;
        let factors = get_factors(&self.app, &session).await?;
        Ok(Response::new(GetFactorsResponse {
            totp_enrolled: factors.enrolled,
            totp_required: factors.required,
            recovery_codes_left: convert::count(factors.recovery_codes_left),
            stepped_up_until: factors.stepped_up_until.map(clock::to_proto),
            passkeys: convert::count(factors.passkeys),
        }))
    }

    async fn begin_totp(&self, request: Request<BeginTotpRequest>) -> Reply<BeginTotpResponse> {
        let session = self.holder(request.metadata()).await?;
        let password = request.into_inner().password;
        let new = db::retrying(|| begin_totp(&self.app, &session, &password)).await?;
        let uri = new.uri().map_err(Error::Cryptography)?;
        Ok(Response::new(BeginTotpResponse { secret: new.secret(), uri }))
    }

    async fn confirm_totp(&self, request: Request<ConfirmTotpRequest>) -> Reply<ConfirmTotpResponse> {
        let session = self.holder(request.metadata()).await?;
        let message = request.into_inner();
        let device = convert::device(message.client.as_ref());
        let done = db::retrying(|| confirm_totp(&self.app, &session, &message.code, &device)).await;
        Ok(Response::new(ConfirmTotpResponse { recovery_codes: done? }))
    }

    async fn remove_totp(&self, request: Request<RemoveTotpRequest>) -> Reply<RemoveTotpResponse> {
        let session = self.holder(request.metadata()).await?;
        let device = convert::device(request.into_inner().client.as_ref());
        db::retrying(|| remove_totp(&self.app, &session, &device)).await?;
        Ok(Response::new(RemoveTotpResponse {}))
    }

    async fn replace_recovery_codes(
        &self,
        request: Request<ReplaceRecoveryCodesRequest>,
    ) -> Reply<ReplaceRecoveryCodesResponse> {
        let session = self.holder(request.metadata()).await?;
        let device = convert::device(request.into_inner().client.as_ref());
        let done = db::retrying(|| replace_recovery_codes(&self.app, &session, &device)).await;
        Ok(Response::new(ReplaceRecoveryCodesResponse { recovery_codes: done? }))
    }

    async fn list_passkeys(&self, request: Request<ListPasskeysRequest>) -> Reply<ListPasskeysResponse> {
        let session = self.viewer(request.metadata()).await?;
        let passkeys = list_passkeys(&self.app, session.user_id).await?;
        Ok(Response::new(ListPasskeysResponse { passkeys: passkeys.into_iter().map(convert::passkey).collect() }))
    }

    async fn begin_passkey(&self, request: Request<BeginPasskeyRequest>) -> Reply<BeginPasskeyResponse> {
        let session = self.holder(request.metadata()).await?;
        let password = request.into_inner().password;
        let options = db::retrying(|| begin_passkey(&self.app, &session, &password)).await?;
        Ok(Response::new(BeginPasskeyResponse { options }))
    }

    async fn finish_passkey(&self, request: Request<FinishPasskeyRequest>) -> Reply<FinishPasskeyResponse> {
        let session = self.holder(request.metadata()).await?;
        let message = request.into_inner();
        let device = convert::device(message.client.as_ref());
        let name = passkey::name(&message.name, &device);
        let name = name.map_err(|sentence| Error::field("name", sentence))?;
        let new = NewCredential::parse(&message.credential)?;
        let done = db::retrying(|| finish_passkey(&self.app, &session, (&new, &name), &device)).await;
        let (passkey, recovery_codes) = done?;
        Ok(Response::new(FinishPasskeyResponse { passkey: Some(convert::passkey(passkey)), recovery_codes }))
    }

    async fn remove_passkey(&self, request: Request<RemovePasskeyRequest>) -> Reply<RemovePasskeyResponse> {
        let session = self.holder(request.metadata()).await?;
        let message = request.into_inner();
        let id = convert::id(&message.passkey_id, "passkey")?;
        let device = convert::device(message.client.as_ref());
        db::retrying(|| remove_passkey(&self.app, &session, id, &device)).await?;
        Ok(Response::new(RemovePasskeyResponse {}))
    }

    async fn begin_step_up(&self, request: Request<BeginStepUpRequest>) -> Reply<BeginStepUpResponse> {
        let session = self.viewer(request.metadata()).await?;
        let digest = match request.get_ref().digest.as_slice() {
            [] => None,
            bytes => Some(digest(bytes)?),
        };
        let options = begin_step_up(&self.app, &session, digest).await?;
        Ok(Response::new(BeginStepUpResponse { options }))
    }

    async fn step_up(&self, request: Request<StepUpRequest>) -> Reply<StepUpResponse> {
        let session = self.viewer(request.metadata()).await?;
        let message = request.into_inner();
        let device = convert::device(message.client.as_ref());
        let factor = factor(&message)?;
        let done = db::retrying(|| step_up(&self.app, &session, &factor, &device)).await;
        Ok(Response::new(StepUpResponse { until: Some(clock::to_proto(done?)) }))
    }
}

fn factor(message: &StepUpRequest) -> Result<Factor, Error> {
    if !message.passkey.is_empty() {
        return Ok(Factor::Passkey(Box::new(PasskeyAnswer::parse(&message.passkey)?)));
    }
    let fields = [("totp", &message.totp), ("recoveryCode", &message.recovery_code)];
    let (field, text) = fields.into_iter().find(|(_, text)| !text.is_empty()).unwrap_or(("code", &message.code));
    let typed = Typed::parse(text).map_err(|sentence| Error::field(field, sentence))?;
    Ok(Factor::Typed(field, typed))
}

impl GrpcServer {
    /// The session of a user who may see their second factors and give one: a verified member, or staff, enrolled or not.
    async fn viewer(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        let session = self.verifier.session(metadata).await?;
        if session.role.is_some() {
            session.clone().colleague()?;
            return Ok(session);
        }
        session.reader()
    }

    /// The session of a user who may change them. Whether that takes a fresh one is decided with the account's lock held.
    async fn holder(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        let session = self.viewer(metadata).await?;
        if session.role.is_some() { Ok(session) } else { session.actor() }
    }
}
