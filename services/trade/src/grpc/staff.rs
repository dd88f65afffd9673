//! Staff: plans and their values, proposed by one manager and confirmed by another.

use chassis::db::retrying;
use chassis::grpc::{answer, request_id};
use chassis::idempotency::{Answer, Claim};
use chassis::identity::Staff;
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decision, Proposal};
use proto::common::v1::Proposal as ProposalMessage;
use proto::trade::v1::staff_service_server::StaffService;
use proto::trade::v1::{
    ConfirmProposalRequest, ConfirmProposalResponse, ListAllPlansRequest, ListAllPlansResponse, ListAuditRowsRequest,
    ListAuditRowsResponse, ListMemberTradesRequest, ListMemberTradesResponse, ListProposalsRequest,
    ListProposalsResponse, Plan, ProposePlanRequest, ProposePlanResponse, ProposePlanValueRequest,
    ProposePlanValueResponse, RejectProposalRequest, RejectProposalResponse, Trade,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Doors, convert, status};
use crate::app::decide_proposal::decide_proposal;
use crate::app::list_all_plans::list_all_plans;
use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_member_trades::list_member_trades;
use crate::app::list_proposals::list_proposals;
use crate::app::propose_plan::{Draft, propose_plan};
use crate::app::propose_plan_value::propose_plan_value;
use crate::error::Error;

#[tonic::async_trait]
impl StaffService for Doors {
    async fn list_all_plans(
        &self,
        request: Request<ListAllPlansRequest>,
    ) -> Result<Response<ListAllPlansResponse>, Status> {
        self.staff(request.metadata(), Permission::See).await.map_err(status)?;
        let plans = list_all_plans(&self.db).await.map_err(status)?;
        Ok(Response::new(ListAllPlansResponse { plans: plans.into_iter().map(Plan::from).collect() }))
    }

    async fn propose_plan(
        &self,
        request: Request<ProposePlanRequest>,
    ) -> Result<Response<ProposePlanResponse>, Status> {
        let proposed = self.propose(request).await.map_err(status)?;
        Ok(answer(proposed.map(|proposal| ProposePlanResponse { proposal: Some(proposal.into()) })))
    }

    async fn propose_plan_value(
        &self,
        request: Request<ProposePlanValueRequest>,
    ) -> Result<Response<ProposePlanValueResponse>, Status> {
        let proposed = self.propose_value(request).await.map_err(status)?;
        Ok(answer(proposed.map(|proposal| ProposePlanValueResponse { proposal: Some(proposal.into()) })))
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

    async fn list_member_trades(
        &self,
        request: Request<ListMemberTradesRequest>,
    ) -> Result<Response<ListMemberTradesResponse>, Status> {
        let trades = self.member_trades(request).await.map_err(status)?;
        Ok(Response::new(ListMemberTradesResponse { trades }))
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

    async fn propose(&self, request: Request<ProposePlanRequest>) -> Result<Answer<Proposal>, Error> {
        let staff = self.staff(request.metadata(), Permission::ChangePlans).await?;
        let claim = Claim::of(staff.user_id, request.get_ref().idempotency.as_ref(), request_id(request.metadata()))?;
        let message = request.into_inner();
        let plan_id = match message.plan_id.as_str() {
            "" => None,
            id => Some(convert::plan_id(id)?),
        };
        let draft = Draft { plan_id, terms: convert::terms(&message)? };
        retrying(|| propose_plan(&self.db, &staff, &draft, &message.client_address, claim.clone())).await
    }

    async fn propose_value(&self, request: Request<ProposePlanValueRequest>) -> Result<Answer<Proposal>, Error> {
        let staff = self.staff(request.metadata(), Permission::ChangePlans).await?;
        let claim = Claim::of(staff.user_id, request.get_ref().idempotency.as_ref(), request_id(request.metadata()))?;
        let message = request.into_inner();
        let plan_id = convert::plan_id(&message.plan_id)?;
        let draft = convert::draft(&message)?;
        let address = &message.client_address;
        retrying(|| propose_plan_value(&self.db, &staff, (plan_id, &draft), address, claim.clone())).await
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
        let staff = self.staff(request.metadata(), Permission::ChangePlans).await?;
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
        let staff = self.staff(request.metadata(), Permission::ChangePlans).await?;
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

    async fn member_trades(&self, request: Request<ListMemberTradesRequest>) -> Result<Vec<Trade>, Error> {
        self.staff(request.metadata(), Permission::See).await?;
        let Ok(user_id) = request.get_ref().user_id.parse() else { return Ok(Vec::new()) };
        list_member_trades(&self.db, user_id).await?.into_iter().map(convert::trade).collect()
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
