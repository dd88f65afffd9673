//! FactorService: the second factors of the caller, a member or staff.

use chassis::identity::Session;
use chassis::{clock, db};
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::{
    BeginTotpRequest, BeginTotpResponse, ConfirmTotpRequest, ConfirmTotpResponse, GetFactorsRequest,
    GetFactorsResponse, RemoveTotpRequest, RemoveTotpResponse, ReplaceRecoveryCodesRequest,
    ReplaceRecoveryCodesResponse, StepUpRequest, StepUpResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Door, convert, refused, status};
use crate::app::begin_totp::begin_totp;
use crate::app::confirm_totp::confirm_totp;
use crate::app::get_factors::get_factors;
use crate::app::remove_totp::remove_totp;
use crate::app::replace_recovery_codes::replace_recovery_codes;
use crate::app::step_up::step_up;
use crate::error::Error;

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl FactorService for Door {
    async fn get_factors(&self, request: Request<GetFactorsRequest>) -> Answer<GetFactorsResponse> {
        let session = self.viewer(request.metadata()).await?;
        let factors = get_factors(&self.app, &session).await.map_err(status)?;
        Ok(Response::new(GetFactorsResponse {
            totp_enrolled: factors.enrolled,
            totp_required: factors.required,
            recovery_codes_left: convert::count(factors.recovery_codes_left),
            stepped_up_until: factors.stepped_up_until.map(clock::to_proto),
        }))
    }

    async fn begin_totp(&self, request: Request<BeginTotpRequest>) -> Answer<BeginTotpResponse> {
        let session = self.holder(request.metadata()).await?;
        let password = request.into_inner().password;
        let new = db::retrying(|| begin_totp(&self.app, &session, &password)).await.map_err(status)?;
        let uri = new.uri().map_err(|error| status(Error::Cryptography(error)))?;
        Ok(Response::new(BeginTotpResponse { secret: new.secret(), uri }))
    }

    async fn confirm_totp(&self, request: Request<ConfirmTotpRequest>) -> Answer<ConfirmTotpResponse> {
        let session = self.holder(request.metadata()).await?;
        let message = request.into_inner();
        let device = convert::device(message.client.as_ref());
        let done = db::retrying(|| confirm_totp(&self.app, &session, &message.code, &device)).await;
        Ok(Response::new(ConfirmTotpResponse { recovery_codes: done.map_err(status)? }))
    }

    async fn remove_totp(&self, request: Request<RemoveTotpRequest>) -> Answer<RemoveTotpResponse> {
        let session = self.holder(request.metadata()).await?;
        let device = convert::device(request.into_inner().client.as_ref());
        db::retrying(|| remove_totp(&self.app, &session, &device)).await.map_err(status)?;
        Ok(Response::new(RemoveTotpResponse {}))
    }

    async fn replace_recovery_codes(
        &self,
        request: Request<ReplaceRecoveryCodesRequest>,
    ) -> Answer<ReplaceRecoveryCodesResponse> {
        let session = self.holder(request.metadata()).await?;
        let device = convert::device(request.into_inner().client.as_ref());
        let done = db::retrying(|| replace_recovery_codes(&self.app, &session, &device)).await;
        Ok(Response::new(ReplaceRecoveryCodesResponse { recovery_codes: done.map_err(status)? }))
    }

    async fn step_up(&self, request: Request<StepUpRequest>) -> Answer<StepUpResponse> {
        let session = self.viewer(request.metadata()).await?;
        let message = request.into_inner();
        let device = convert::device(message.client.as_ref());
        let fields = [("totp", &message.totp), ("recoveryCode", &message.recovery_code)];
        let given = fields.into_iter().find(|(_, text)| !text.is_empty()).unwrap_or(("code", &message.code));
        let done = db::retrying(|| step_up(&self.app, &session, (given.0, given.1), &device)).await;
        Ok(Response::new(StepUpResponse { until: Some(clock::to_proto(done.map_err(status)?)) }))
    }
}

impl Door {
    /// The session of whoever may see their second factors and give one: a verified member, or staff, enrolled or not.
    async fn viewer(&self, metadata: &MetadataMap) -> Result<Session, Status> {
        let session = self.verifier.session(metadata).await.map_err(refused)?;
        if session.role.is_some() {
            session.clone().colleague().map_err(refused)?;
            return Ok(session);
        }
        session.reader().map_err(refused)
    }

    /// The session of whoever may change them. Whether that takes a fresh one is decided with the account's lock held.
    async fn holder(&self, metadata: &MetadataMap) -> Result<Session, Status> {
        let session = self.viewer(metadata).await?;
        if session.role.is_some() { Ok(session) } else { session.actor().map_err(refused) }
    }
}
