//! Staff: the inbox, answers, the register of complaints.

use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer};
use chassis::page::{OF_STAFF, Page};
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use proto::cases::v1::staff_service_server::StaffService;
use proto::cases::v1::{
    AnswerCaseRequest, AnswerCaseResponse, AssignCaseRequest, AssignCaseResponse, Case, ClaimCaseRequest,
    ClaimCaseResponse, CloseStaffCaseRequest, CloseStaffCaseResponse, GetStaffCaseRequest, GetStaffCaseResponse,
    ListColleaguesRequest, ListColleaguesResponse, ListStaffCasesRequest, ListStaffCasesResponse,
    RegisterComplaintRequest, RegisterComplaintResponse, ReleaseCaseRequest, ReleaseCaseResponse,
};
use proto::common::v1::Idempotency;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::answer_case::{AnswerCase, answer_case};
use crate::app::assign_case::assign_case;
use crate::app::claim_case::claim_case;
use crate::app::close_staff_case::close_staff_case;
use crate::app::get_case::{Thread, get_case};
use crate::app::list_cases::list_cases;
use crate::app::register_complaint::register_complaint;
use crate::app::release_case::release_case;
use crate::domain::case::CaseId;
use crate::domain::message::Text;
use crate::error::Error;

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn list_staff_cases(&self, request: Request<ListStaffCasesRequest>) -> Reply<ListStaffCasesResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::See).await?;
        let message = request.into_inner();
        let filter = convert::filter(message.filter(), &message.member_id)?;
        let page = Page::parse(message.page, OF_STAFF)?;
        let (cases, next_cursor) = list_cases(&self.db, filter, staff.id.into(), &page).await?;
        let cases = cases.into_iter().map(convert::staff_case).collect();
        Ok(Response::new(ListStaffCasesResponse { cases, next_cursor }))
    }

    async fn get_staff_case(&self, request: Request<GetStaffCaseRequest>) -> Reply<GetStaffCaseResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let Thread { case, messages, files } = get_case(&self.db, None, convert::id(&request.get_ref().id)?).await?;
        let messages = convert::staff_messages(messages, files);
        Ok(Response::new(GetStaffCaseResponse { case: Some(convert::staff_case(case)), messages }))
    }

    async fn claim_case(&self, request: Request<ClaimCaseRequest>) -> Reply<ClaimCaseResponse> {
        let (metadata, _, message) = request.into_parts();
        let call = self.answerer(&metadata, message.client_address, None).await?;
        let id = convert::id(&message.id)?;
        let case = retrying(|| claim_case(&self.db, &call, id)).await?;
        Ok(Response::new(ClaimCaseResponse { case: Some(convert::staff_case(case)) }))
    }

    async fn assign_case(&self, request: Request<AssignCaseRequest>) -> Reply<AssignCaseResponse> {
        let (metadata, _, message) = request.into_parts();
        let call = self.answerer(&metadata, message.client_address, None).await?;
        let id = convert::id(&message.id)?;
        let answerers = self.verifier.permitted_staff(Permission::AnswerCases).await?;
        let owner = message.owner_id.parse().ok().filter(|id| answerers.contains(id));
        let owner = owner.ok_or_else(|| Refusal::field("ownerId", "Choose a colleague who may answer cases."))?;
        let case = retrying(|| assign_case(&self.db, &call, id, owner)).await?;
        Ok(Response::new(AssignCaseResponse { case: Some(convert::staff_case(case)) }))
    }

    async fn list_colleagues(&self, request: Request<ListColleaguesRequest>) -> Reply<ListColleaguesResponse> {
        let me = self.verifier.staff(request.metadata(), Permission::AnswerCases).await?.id;
        let answerers = self.verifier.permitted_staff(Permission::AnswerCases).await?;
        let user_ids = answerers.into_iter().filter(|id| *id != me).map(|id| id.to_string()).collect();
        Ok(Response::new(ListColleaguesResponse { user_ids }))
    }

    async fn release_case(&self, request: Request<ReleaseCaseRequest>) -> Reply<ReleaseCaseResponse> {
        let (metadata, _, message) = request.into_parts();
        let call = self.answerer(&metadata, message.client_address, None).await?;
        let id = convert::id(&message.id)?;
        let case = retrying(|| release_case(&self.db, &call, id)).await?;
        Ok(Response::new(ReleaseCaseResponse { case: Some(convert::staff_case(case)) }))
    }

    async fn answer_case(&self, request: Request<AnswerCaseRequest>) -> Reply<AnswerCaseResponse> {
        let (metadata, _, message) = request.into_parts();
        let call = self.answerer(&metadata, message.client_address, message.idempotency).await?;
        let (id, text) = (convert::id(&message.id)?, Text::parse(&message.text)?);
        let command = AnswerCase { call, id, text, seen: message.seen };
        let done = retrying(|| answer_case(&self.db, &command)).await?;
        let case = self.any(done.result).await?;
        Ok(answer(done.map(|_| AnswerCaseResponse { case: Some(case) })))
    }

    async fn close_staff_case(&self, request: Request<CloseStaffCaseRequest>) -> Reply<CloseStaffCaseResponse> {
        let (metadata, _, message) = request.into_parts();
        let call = self.answerer(&metadata, message.client_address, message.idempotency).await?;
        let id = convert::id(&message.id)?;
        let done = retrying(|| close_staff_case(&self.db, &call, id)).await?;
        let case = self.any(done.result).await?;
        Ok(answer(done.map(|_| CloseStaffCaseResponse { case: Some(case) })))
    }

    async fn register_complaint(&self, request: Request<RegisterComplaintRequest>) -> Reply<RegisterComplaintResponse> {
        let (metadata, _, message) = request.into_parts();
        let call = self.answerer(&metadata, message.client_address, message.idempotency).await?;
        let id = convert::id(&message.id)?;
        let done = retrying(|| register_complaint(&self.db, &call, id)).await?;
        let case = self.any(done.result).await?;
        Ok(answer(done.map(|_| RegisterComplaintResponse { case: Some(case) })))
    }
}

impl GrpcServer {
    /// The call of staff who may answer.
    async fn answerer(
        &self,
        metadata: &MetadataMap,
        address: String,
        idempotency: Option<Idempotency>,
    ) -> Result<StaffCall, Refusal> {
        let staff = self.verifier.staff(metadata, Permission::AnswerCases).await?;
        StaffCall::of(staff, metadata, address, idempotency.as_ref())
    }

    async fn any(&self, id: CaseId) -> Result<Case, Error> {
        Ok(convert::staff_case(get_case(&self.db, None, id).await?.case))
    }
}
