//! The gRPC server: unprocessable events and the audit log for staff, and the member's own download.

use std::sync::Arc;

use chassis::db::Db;
use chassis::dead_letter::Replay;
use chassis::error::to_status;
use chassis::grpc::{Reply, answer, request_id};
use chassis::idempotency::Claim;
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use chassis::page::Page;
use chassis::permission::Permission;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::mailer::v1::staff_service_server::{StaffService, StaffServiceServer};
use proto::mailer::v1::{
    ListAuditRowsRequest, ListAuditRowsResponse, ListDeadLettersRequest, ListDeadLettersResponse,
    ReplayDeadLetterRequest, ReplayDeadLetterResponse,
};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_dead_letters::list_dead_letters;
use crate::app::replay_dead_letter::replay_dead_letter;
use crate::error::Error;
use crate::events::consumed::{Consumer, QUEUE};
use crate::store::member_data::MemberTables;

/// Rows on a page unless staff wants more or fewer.
const PAGE: u16 = 50;

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
        let staff = self.verifier.staff(request.metadata(), Permission::ReplayDeadLetters).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let replay = Replay {
            claim: Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id)?,
            staff,
            event_id: message.id,
            client_address: message.client_address,
        };
        let done = replay_dead_letter(&self.db, &*self.consumer, &replay).await?;
        self.consumer.0.queued.notify_one();
        Ok(answer(done.map(|()| ReplayDeadLetterResponse {})))
    }

    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Reply<ListAuditRowsResponse> {
        self.verifier.staff(request.metadata(), Permission::SeeAudit).await?;
        let message = request.into_inner();
        let page = Page::parse(message.page, PAGE)?;
        let (rows, next_cursor) = list_audit_rows(&self.db, &message.filter.try_into()?, &page).await?;
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
