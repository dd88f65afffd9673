//! Members and their cases. A frozen member may write too: it is how a freeze is objected to.

use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer, request_id};
use chassis::id::MemberId;
use chassis::idempotency::Claim;
use chassis::identity::Session;
use chassis::page::Page;
use proto::cases::v1::case_service_server::CaseService;
use proto::cases::v1::{
    AddCaseMessageRequest, AddCaseMessageResponse, Case, CloseCaseRequest, CloseCaseResponse, GetCaseRequest,
    GetCaseResponse, ListCasesRequest, ListCasesResponse, OpenCaseRequest, OpenCaseResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::add_case_message::{AddCaseMessage, add_case_message};
use crate::app::close_case::close_case;
use crate::app::get_case::{Thread, get_case};
use crate::app::list_cases::list_cases;
use crate::app::open_case::{OpenCase, open_case};
use crate::domain::case::{CaseId, Filter};
use crate::domain::file::File;
use crate::domain::message::Text;
use crate::error::Error;

/// Cases on a page.
const PAGE: u16 = 50;

#[tonic::async_trait]
impl CaseService for GrpcServer {
    async fn open_case(&self, request: Request<OpenCaseRequest>) -> Reply<OpenCaseResponse> {
        let member = self.member(request.metadata()).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = OpenCase {
            user_id: member.member_id(),
            topic: convert::topic(message.topic())?,
            subject: convert::subject(message.subject)?,
            is_complaint: message.complaint,
            text: Text::parse(&message.text)?,
            file: convert::file(message.file)?,
            claim: Claim::of(member.member_id(), message.idempotency.as_ref(), &request_id)?,
        };
        let done = retrying(|| open_case(&self.db, &command, self.answer_time)).await?;
        let (case, file_key) = self.own(member.member_id(), done.result, command.file.as_ref()).await?;
        Ok(answer(done.map(|_| OpenCaseResponse { case: Some(case), file_key })))
    }

    async fn list_cases(&self, request: Request<ListCasesRequest>) -> Reply<ListCasesResponse> {
        let member = self.member(request.metadata()).await?;
        let page = Page::parse(request.into_inner().page, PAGE)?;
        let (cases, next_cursor) =
            list_cases(&self.db, Filter::Member(member.member_id()), member.member_id().into(), &page).await?;
        let cases = cases.into_iter().map(convert::member_case).collect();
        Ok(Response::new(ListCasesResponse { cases, next_cursor }))
    }

    async fn get_case(&self, request: Request<GetCaseRequest>) -> Reply<GetCaseResponse> {
        let member = self.member(request.metadata()).await?;
        let id = convert::id(&request.get_ref().id)?;
        let Thread { case, messages, files } = get_case(&self.db, Some(member.member_id()), id).await?;
        let messages = convert::member_messages(messages, files);
        Ok(Response::new(GetCaseResponse { case: Some(convert::member_case(case)), messages }))
    }

    async fn add_case_message(&self, request: Request<AddCaseMessageRequest>) -> Reply<AddCaseMessageResponse> {
        let member = self.member(request.metadata()).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = AddCaseMessage {
            user_id: member.member_id(),
            id: convert::id(&message.id)?,
            text: Text::parse(&message.text)?,
            file: convert::file(message.file)?,
            claim: Claim::of(member.member_id(), message.idempotency.as_ref(), &request_id)?,
        };
        let done = retrying(|| add_case_message(&self.db, &command, self.answer_time)).await?;
        let (case, file_key) = self.own(member.member_id(), done.result, command.file.as_ref()).await?;
        Ok(answer(done.map(|_| AddCaseMessageResponse { case: Some(case), file_key })))
    }

    async fn close_case(&self, request: Request<CloseCaseRequest>) -> Reply<CloseCaseResponse> {
        let member = self.member(request.metadata()).await?;
        let id = convert::id(&request.get_ref().id)?;
        let case = retrying(|| close_case(&self.db, member.member_id(), id)).await?;
        Ok(Response::new(CloseCaseResponse { case: Some(convert::member_case(case)) }))
    }
}

impl GrpcServer {
    async fn member(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        self.verifier.session(metadata).await?.reader()
    }

    /// The case, and where its newest copy of this file belongs.
    async fn own(&self, user_id: MemberId, id: CaseId, sent: Option<&File>) -> Result<(Case, String), Error> {
        let Thread { case, files, .. } = get_case(&self.db, Some(user_id), id).await?;
        let stored =
            |sent: &File| files.iter().rfind(|(_, file)| file.digest == sent.digest).map(|(_, file)| &file.key);
        Ok((convert::member_case(case), sent.and_then(stored).cloned().unwrap_or_default()))
    }
}
