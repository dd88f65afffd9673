//! The gRPC server: unprocessable events and the audit log for staff, and the member's own download.

use std::sync::Arc;

use chassis::audit;
use chassis::db::Db;
use chassis::dead_letter::Replay;
use chassis::error::to_status;
use chassis::grpc::{Reply, answer};
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::mailer::v1::staff_service_server::{StaffService, StaffServiceServer};
use proto::mailer::v1::{
    ListAuditRowsRequest, ListAuditRowsResponse, ListDeadLettersRequest, ListDeadLettersResponse,
    ReplayDeadLetterRequest, ReplayDeadLetterResponse,
};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::app::list_dead_letters::list_dead_letters;
use crate::app::replay_dead_letter::replay_dead_letter;
use crate::error::Error;
use crate::events::consumed::{Consumer, QUEUE};
use crate::store::member_data::MemberTables;

#[derive(Clone)]
pub struct GrpcServer {
    pub db: Db,
    pub verifier: Verifier,
    pub consumer: Arc<Consumer>,
}

impl GrpcServer {
    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let data = MemberData::<MemberTables>::new(self.db.clone(), self.verifier.clone());
        Routes::new(MemberDataServiceServer::new(data)).add_service(StaffServiceServer::new(self))
    }
}

#[tonic::async_trait]
impl StaffService for GrpcServer {
    async fn list_dead_letters(&self, request: Request<ListDeadLettersRequest>) -> Reply<ListDeadLettersResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        Ok(Response::new(ListDeadLettersResponse { dead_letters: list_dead_letters(&self.db, QUEUE).await? }))
    }

    async fn replay_dead_letter(&self, request: Request<ReplayDeadLetterRequest>) -> Reply<ReplayDeadLetterResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.verifier.staff(&metadata, Permission::ReplayDeadLetters).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address, message.idempotency.as_ref())?;
        let replay = Replay { call, event_id: message.id };
        let done = replay_dead_letter(&self.db, &*self.consumer, &replay).await?;
        self.consumer.0.queued.notify_one();
        Ok(answer(done.map(|()| ReplayDeadLetterResponse {})))
    }

    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Reply<ListAuditRowsResponse> {
        let (metadata, _, ListAuditRowsRequest { filter, page }) = request.into_parts();
        let (rows, next_cursor) = audit::list_for_staff((&self.db, &self.verifier), &metadata, filter, page).await?;
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
