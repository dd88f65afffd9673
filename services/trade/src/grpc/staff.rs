//! Staff: plans and their values, proposed by one manager and confirmed by another.

use chassis::db::retrying;
use chassis::grpc::{Reply, answer};
use chassis::id::StaffId;
use chassis::idempotency::Answer;
use chassis::permission::Permission;
use chassis::proposal::{DecideProposal, Decides, Proposal};
use chassis::staff_call::StaffCall;
use proto::trade::v1::staff_service_server::StaffService;
use proto::trade::v1::{
    ListAllPlansRequest, ListAllPlansResponse, Plan, ProposePlanRequest, ProposePlanResponse, ProposePlanValueRequest,
    ProposePlanValueResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::decide_proposal::{check_proposal, decide_proposal};
use crate::app::list_all_plans::list_all_plans;
use crate::app::propose_plan::{Draft, propose_plan};
use crate::app::propose_plan_value::propose_plan_value;
use crate::error::Error;

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn list_all_plans(&self, request: Request<ListAllPlansRequest>) -> Reply<ListAllPlansResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let plans = list_all_plans(&self.db).await?;
        Ok(Response::new(ListAllPlansResponse { plans: plans.into_iter().map(Plan::from).collect() }))
    }

    async fn propose_plan(&self, request: Request<ProposePlanRequest>) -> Reply<ProposePlanResponse> {
        let proposed = self.propose(request).await?;
        Ok(answer(proposed.map(|proposal| ProposePlanResponse { proposal: Some(proposal.into()) })))
    }

    async fn propose_plan_value(&self, request: Request<ProposePlanValueRequest>) -> Reply<ProposePlanValueResponse> {
        let proposed = self.propose_value(request).await?;
        Ok(answer(proposed.map(|proposal| ProposePlanValueResponse { proposal: Some(proposal.into()) })))
    }
}

impl Decides for GrpcServer {
    const PERMISSIONS: &'static [Permission] = &[Permission::ChangePlans];
    type Error = Error;

    async fn decide(&self, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
        decide_proposal(&self.db, &self.wallet, command).await
    }

    async fn check(&self, proposal: &Proposal, _: StaffId) -> Result<(), Error> {
        check_proposal(&self.db, &self.wallet, proposal).await
    }
}

impl GrpcServer {
    async fn propose(&self, request: Request<ProposePlanRequest>) -> Result<Answer<Proposal>, Error> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ChangePlans).await?;
        let plan_id = match message.plan_id.as_str() {
            "" => None,
            id => Some(convert::plan_id(id)?),
        };
        let draft = Draft { plan_id, terms: convert::terms(&message)? };
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        retrying(|| propose_plan(&self.db, &call, &draft)).await
    }

    async fn propose_value(&self, request: Request<ProposePlanValueRequest>) -> Result<Answer<Proposal>, Error> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ChangePlans).await?;
        let plan_id = convert::plan_id(&message.plan_id)?;
        let draft = convert::draft(&message)?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        retrying(|| propose_plan_value(&self.db, &call, (plan_id, &draft))).await
    }
}
