//! DecisionService: for services with their credential, about the person for whom the gateway called them.

use chassis::decision::Proposer;
use chassis::grpc::Reply;
use chassis::identity::unauthenticated;
use chassis::keys::SERVICES;
use proto::auth::v1::decision_service_server::DecisionService;
use proto::auth::v1::{SignDecisionRequest, SignDecisionResponse};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::security::sign_decision::{SignDecision, permission, sign_decision};
use crate::error::Error;

#[tonic::async_trait]
impl DecisionService for GrpcServer {
    async fn sign_decision(&self, request: Request<SignDecisionRequest>) -> Reply<SignDecisionResponse> {
        let service = self.verifier.service(request.metadata(), &SERVICES)?;
        let message = request.into_inner();
        let named = self.verifier.session_at(&service, &message.token).ok_or_else(unauthenticated)?;
        let wanted = SignDecision {
            service: &service,
            session_id: named.session_id,
            permission: permission(&message.permission)?,
            digest: digest(&message.digest)?,
            proposer: proposer(&message)?,
        };
        let assertion = sign_decision(&self.app, &wanted).await?;
        Ok(Response::new(SignDecisionResponse { assertion }))
    }
}

/// A SHA-256.
pub(super) fn digest(bytes: &[u8]) -> Result<[u8; 32], Error> {
    bytes.try_into().map_err(|_| Error::field("digest", "A digest has 32 bytes"))
}

fn proposer(message: &SignDecisionRequest) -> Result<Option<Proposer>, Error> {
    if message.proposer_id.is_empty() {
        return Ok(None);
    }
    let id = convert::id(&message.proposer_id, "proposer")?;
    Ok(Some(Proposer { id, permission: permission(&message.proposer_permission)? }))
}
