//! Staff: the draft, versions, and the audit log.

use chassis::db::retrying;
use chassis::grpc::{Reply, answer};
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use proto::course::v1::staff_service_server::StaffService;
use proto::course::v1::{
    GetStudioRequest, GetStudioResponse, GetVersionRequest, GetVersionResponse, PublishDraftRequest,
    PublishDraftResponse, RestoreVersionRequest, RestoreVersionResponse, SaveDraftRequest, SaveDraftResponse,
};
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::get_studio::get_studio;
use crate::app::get_version::get_version;
use crate::app::publish_draft::{PublishDraft, publish_draft};
use crate::app::restore_version::{RestoreVersion, restore_version};
use crate::app::save_draft::save_draft;
use crate::domain::course::Course;

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
        let draft = retrying(|| save_draft(&self.db, staff.id, revision, course.as_ref())).await?;
        Ok(Response::new(SaveDraftResponse { draft: Some(draft.into()) }))
    }

    async fn publish_draft(&self, request: Request<PublishDraftRequest>) -> Reply<PublishDraftResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::PublishCourse).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = PublishDraft { call, revision: message.revision, published: message.published };
        let done = retrying(|| publish_draft(&self.db, &command)).await?;
        Ok(answer(done.map(|number| PublishDraftResponse { number })))
    }

    async fn restore_version(&self, request: Request<RestoreVersionRequest>) -> Reply<RestoreVersionResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::PublishCourse).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let command = RestoreVersion { call, number: message.number, published: message.published };
        let done = retrying(|| restore_version(&self.db, &command)).await?;
        Ok(answer(done.map(|number| RestoreVersionResponse { number })))
    }
}
