//! Staff: platform methods, proposed by one treasurer and confirmed by another.

use chassis::db::retrying;
use chassis::grpc::{answer, request_id};
use chassis::idempotency::{Answer, Claim};
use chassis::identity::Staff;
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decision, Proposal};
use proto::common::v1::Proposal as ProposalMessage;
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    ConfirmProposalRequest, ConfirmProposalResponse, ListAuditRowsRequest, ListAuditRowsResponse,
    ListPlatformMethodsRequest, ListPlatformMethodsResponse, ListProposalsRequest, ListProposalsResponse,
    PlatformMethod, ProposePlatformMethodRequest, ProposePlatformMethodResponse, RejectProposalRequest,
    RejectProposalResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Doors, convert, status};
use crate::app::decide_proposal::decide_proposal;
use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_platform_methods::list_platform_methods;
use crate::app::list_proposals::list_proposals;
use crate::app::propose_platform_method::{Change, propose_platform_method};
use crate::error::Error;

#[tonic::async_trait]
impl StaffService for Doors {
    async fn list_platform_methods(
        &self,
        request: Request<ListPlatformMethodsRequest>,
    ) -> Result<Response<ListPlatformMethodsResponse>, Status> {
        self.staff(request.metadata(), Permission::See).await.map_err(status)?;
        let list = list_platform_methods(&self.db).await.map_err(status)?;
        let methods = list.into_iter().map(PlatformMethod::from).collect();
        Ok(Response::new(ListPlatformMethodsResponse { methods }))
    }

    async fn propose_platform_method(
        &self,
        request: Request<ProposePlatformMethodRequest>,
    ) -> Result<Response<ProposePlatformMethodResponse>, Status> {
        self.propose(request).await.map_err(status)
    }

    async fn list_proposals(
        &self,
        request: Request<ListProposalsRequest>,
    ) -> Result<Response<ListProposalsResponse>, Status> {
        self.proposals(request).await.map(Response::new).map_err(status)
    }

    async fn confirm_proposal(
        &self,
        request: Request<ConfirmProposalRequest>,
    ) -> Result<Response<ConfirmProposalResponse>, Status> {
        let confirmed = self.confirm(request).await.map_err(status)?;
        Ok(answer(confirmed.map(|one| ConfirmProposalResponse { proposal: Some(one.into()) })))
    }

    async fn reject_proposal(
        &self,
        request: Request<RejectProposalRequest>,
    ) -> Result<Response<RejectProposalResponse>, Status> {
        let rejected = self.reject(request).await.map_err(status)?;
        Ok(answer(rejected.map(|one| RejectProposalResponse { proposal: Some(one.into()) })))
    }

    async fn list_audit_rows(
        &self,
        request: Request<ListAuditRowsRequest>,
    ) -> Result<Response<ListAuditRowsResponse>, Status> {
        self.audit_rows(request).await.map(Response::new).map_err(status)
    }
}

impl Doors {
    async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Error> {
        Ok(self.verifier.staff(metadata, permission).await?)
    }

    async fn propose(
        &self,
        request: Request<ProposePlatformMethodRequest>,
    ) -> Result<Response<ProposePlatformMethodResponse>, Error> {
        let staff = self.staff(request.metadata(), Permission::ChangeMethods).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let claim = Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?;
        let change = match (message.id.as_str(), message.fields) {
            ("", fields) => Change::Create(convert::fields(fields)?),
            (id, Some(fields)) => Change::Update(convert::id(id)?, convert::fields(Some(fields))?),
            (id, None) => Change::Archive(convert::id(id)?),
        };
        let proposed = retrying(|| {
            propose_platform_method(&self.db, &staff, change.clone(), &message.client_address, claim.clone())
        })
        .await?;
        Ok(answer(proposed.map(|proposal| ProposePlatformMethodResponse { proposal: Some(proposal.into()) })))
    }

    async fn proposals(&self, request: Request<ListProposalsRequest>) -> Result<ListProposalsResponse, Error> {
        self.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let status = message.status();
        let (cursor, size) = convert::page(message.page)?;
        let rows = list_proposals(&self.db, status, cursor, size).await?;
        let next_cursor = convert::next_cursor(&rows, size, |row| row.id.to_string());
        Ok(ListProposalsResponse { proposals: rows.into_iter().map(ProposalMessage::from).collect(), next_cursor })
    }

    async fn confirm(&self, request: Request<ConfirmProposalRequest>) -> Result<Answer<Proposal>, Error> {
        let staff = self.staff(request.metadata(), Permission::ChangeMethods).await?;
        let claim = Claim::of(staff.user_id, request.get_ref().idempotency.as_ref(), request_id(request.metadata()))?;
        let message = request.into_inner();
        let command = DecideProposal {
            staff,
            id: convert::proposal_id(&message.proposal_id)?,
            decision: Decision::Confirm,
            client_address: message.client_address,
            claim,
        };
        retrying(|| decide_proposal(&self.db, &command)).await
    }

    async fn reject(&self, request: Request<RejectProposalRequest>) -> Result<Answer<Proposal>, Error> {
        let staff = self.staff(request.metadata(), Permission::ChangeMethods).await?;
        let claim = Claim::of(staff.user_id, request.get_ref().idempotency.as_ref(), request_id(request.metadata()))?;
        let message = request.into_inner();
        let command = DecideProposal {
            staff,
            id: convert::proposal_id(&message.proposal_id)?,
            decision: Decision::Reject,
            client_address: message.client_address,
            claim,
        };
        retrying(|| decide_proposal(&self.db, &command)).await
    }

    async fn audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Result<ListAuditRowsResponse, Error> {
        self.staff(request.metadata(), Permission::SeeAudit).await?;
        let message = request.into_inner();
        let (cursor, size) = convert::page(message.page)?;
        let rows = list_audit_rows(&self.db, &message.filter.try_into()?, cursor, size).await?;
        let next_cursor = convert::next_cursor(&rows, size, |row| row.id.to_string());
        Ok(ListAuditRowsResponse { rows, next_cursor })
    }
}
