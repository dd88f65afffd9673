//! Staff: platform methods and rates, proposed by one treasurer and confirmed by another.

use chassis::db::retrying;
use chassis::grpc::{Reply, answer, request_id};
use chassis::idempotency::Claim;
use chassis::page::Page;
use chassis::permission::Permission;
use chassis::proposal::{Decision, DecisionRequest};
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    ConfirmProposalRequest, ConfirmProposalResponse, ListAuditRowsRequest, ListAuditRowsResponse,
    ListPlatformMethodsRequest, ListPlatformMethodsResponse, ListProposalsRequest, ListProposalsResponse,
    PlatformMethod, ProposePlatformMethodRequest, ProposePlatformMethodResponse, ProposeRateRequest,
    ProposeRateResponse, RejectProposalRequest, RejectProposalResponse, SignPlatformMethodRequest,
    SignPlatformMethodResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::decide_proposal::decide_proposal;
use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_platform_methods::list_platform_methods;
use crate::app::list_proposals::list_proposals;
use crate::app::propose_platform_method::{ProposePlatformMethod, propose_platform_method};
use crate::app::propose_rate::propose_rate;
use crate::app::sign_platform_method::{SignPlatformMethod, sign_platform_method};

/// Rows on a page unless staff want more or fewer.
const PAGE: u16 = 100;
/// The permissions to decide on proposals.
const DECIDERS: [Permission; 2] = [Permission::ChangeMethods, Permission::PublishRates];

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn list_platform_methods(
        &self,
        request: Request<ListPlatformMethodsRequest>,
    ) -> Reply<ListPlatformMethodsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let list = list_platform_methods(&self.db).await?;
        let methods = list.into_iter().map(PlatformMethod::from).collect();
        Ok(Response::new(ListPlatformMethodsResponse { methods }))
    }

    async fn propose_platform_method(
        &self,
        request: Request<ProposePlatformMethodRequest>,
    ) -> Reply<ProposePlatformMethodResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::ChangeMethods).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = ProposePlatformMethod {
            claim: Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?,
            staff,
            change: convert::change(&message.id, message.fields, message.signature)?,
            client_address: message.client_address,
        };
        let proposed = retrying(|| propose_platform_method(&self.db, &self.treasury, &command)).await?;
        Ok(answer(proposed.map(|proposal| ProposePlatformMethodResponse { proposal: Some(proposal.into()) })))
    }

    async fn sign_platform_method(
        &self,
        request: Request<SignPlatformMethodRequest>,
    ) -> Reply<SignPlatformMethodResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::ChangeMethods).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = SignPlatformMethod {
            claim: Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?,
            staff,
            id: convert::id(&message.id)?,
            version: message.version,
            signature: message.signature,
            client_address: message.client_address,
        };
        let signed = retrying(|| sign_platform_method(&self.db, &self.treasury, &command)).await?;
        Ok(answer(signed.map(|method| SignPlatformMethodResponse { payment_method: Some(method.into()) })))
    }

    async fn propose_rate(&self, request: Request<ProposeRateRequest>) -> Reply<ProposeRateResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::PublishRates).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let claim = Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?;
        let rate = convert::publication(&message)?;
        let proposed =
            retrying(|| propose_rate(&self.db, &staff, &rate, &message.client_address, claim.clone())).await?;
        Ok(answer(proposed.map(|proposal| ProposeRateResponse { proposal: Some(proposal.into()) })))
    }

    async fn list_proposals(&self, request: Request<ListProposalsRequest>) -> Reply<ListProposalsResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let status = message.status();
        let page = Page::parse(message.page, PAGE)?;
        let (found, next_cursor) = list_proposals(&self.db, status, &page).await?;
        Ok(Response::new(ListProposalsResponse { proposals: found.into_iter().map(Into::into).collect(), next_cursor }))
    }

    async fn confirm_proposal(&self, request: Request<ConfirmProposalRequest>) -> Reply<ConfirmProposalResponse> {
        let (metadata, _, message) = request.into_parts();
        let ConfirmProposalRequest { proposal_id, client_address, idempotency } = message;
        let asked = DecisionRequest { proposal_id, client_address, idempotency };
        let command = asked.verify(&self.verifier, &metadata, &DECIDERS, Decision::Confirm).await?;
        let decided = retrying(|| decide_proposal(&self.db, &command)).await?;
        Ok(answer(decided.map(|one| ConfirmProposalResponse { proposal: Some(one.into()) })))
    }

    async fn reject_proposal(&self, request: Request<RejectProposalRequest>) -> Reply<RejectProposalResponse> {
        let (metadata, _, message) = request.into_parts();
        let RejectProposalRequest { proposal_id, client_address, idempotency } = message;
        let asked = DecisionRequest { proposal_id, client_address, idempotency };
        let command = asked.verify(&self.verifier, &metadata, &DECIDERS, Decision::Reject).await?;
        let decided = retrying(|| decide_proposal(&self.db, &command)).await?;
        Ok(answer(decided.map(|one| RejectProposalResponse { proposal: Some(one.into()) })))
    }

    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Reply<ListAuditRowsResponse> {
        self.verifier.staff(request.metadata(), Permission::SeeAudit).await?;
        let message = request.into_inner();
        let page = Page::parse(message.page, PAGE)?;
        let (rows, next_cursor) = list_audit_rows(&self.db, &message.filter.try_into()?, &page).await?;
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}
