//! Staff: the draft, versions, and the audit log.

use chassis::db::retrying;
use chassis::grpc::{Reply, answer, request_id};
use chassis::idempotency::Claim;
use chassis::page::Page;
use chassis::permission::Permission;
use proto::course::v1::staff_service_server::StaffService;
use proto::course::v1::{
    GetStudioRequest, GetStudioResponse, GetVersionRequest, GetVersionResponse, ListAuditRowsRequest,
    ListAuditRowsResponse, PublishDraftRequest, PublishDraftResponse, RestoreVersionRequest, RestoreVersionResponse,
    SaveDraftRequest, SaveDraftResponse,
};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::get_studio::get_studio;
use crate::app::get_version::get_version;
use crate::app::list_audit_rows::list_audit_rows;
use crate::app::publish_draft::{PublishDraft, publish_draft};
use crate::app::restore_version::{RestoreVersion, restore_version};
use crate::app::save_draft::save_draft;
use crate::domain::course::Course;

/// Rows on a page unless staff want more or fewer.
const PAGE: u16 = 100;

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn get_studio(&self, request: Request<GetStudioRequest>) -> Reply<GetStudioResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        Ok(Response::new(get_studio(&self.db).await?.into()))
    }

    async fn get_version(&self, request: Request<GetVersionRequest>) -> Reply<GetVersionResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let course = get_version(&self.db, request.into_inner().number).await?;
        Ok(Response::new(GetVersionResponse { content: Some(course.into()) }))
    }

    async fn save_draft(&self, request: Request<SaveDraftRequest>) -> Reply<SaveDraftResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::EditCourse).await?;
        let SaveDraftRequest { revision, content } = request.into_inner();
        let course = content.map(Course::from);
        let draft = retrying(|| save_draft(&self.db, staff.user_id, revision, course.as_ref())).await?;
        Ok(Response::new(SaveDraftResponse { draft: Some(draft.into()) }))
    }

    async fn publish_draft(&self, request: Request<PublishDraftRequest>) -> Reply<PublishDraftResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::PublishCourse).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = PublishDraft {
            claim: Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?,
            staff,
            revision: message.revision,
            published: message.published,
            client_address: message.client_address,
        };
        let done = retrying(|| publish_draft(&self.db, &command)).await?;
        Ok(answer(done.map(|number| PublishDraftResponse { number })))
    }

    async fn restore_version(&self, request: Request<RestoreVersionRequest>) -> Reply<RestoreVersionResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::PublishCourse).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let command = RestoreVersion {
            claim: Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?,
            staff,
            number: message.number,
            published: message.published,
            client_address: message.client_address,
        };
        let done = retrying(|| restore_version(&self.db, &command)).await?;
        Ok(answer(done.map(|number| RestoreVersionResponse { number })))
    }

    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Reply<ListAuditRowsResponse> {
        self.verifier.staff(request.metadata(), Permission::SeeAudit).await?;
        let message = request.into_inner();
        let page = Page::parse(message.page, PAGE)?;
        let (rows, next_cursor) = list_audit_rows(&self.db, &message.filter.try_into()?, &page).await?;
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}
