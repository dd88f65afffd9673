//! The gRPC server for staff: unprocessable events and the audit log.

use std::sync::Arc;

use chassis::audit::Filter;
use chassis::db::Db;
use chassis::dead_letter::Replay;
use chassis::error::{Refusal, to_status};
use chassis::grpc::{answer, replayed_status, request_id};
use chassis::idempotency::Claim;
use chassis::identity::{Staff, Verifier};
use chassis::permission::Permission;
use proto::common::v1::PageRequest;
use proto::mailer::v1::staff_service_server::{StaffService, StaffServiceServer};
use proto::mailer::v1::{
    ListAuditRowsRequest, ListAuditRowsResponse, ListDeadLettersRequest, ListDeadLettersResponse,
    ReplayDeadLetterRequest, ReplayDeadLetterResponse,
};
use tonic::metadata::MetadataMap;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::app::list_audit_rows::list_audit_rows;
use crate::app::list_dead_letters::list_dead_letters;
use crate::app::replay_dead_letter::replay_dead_letter;
use crate::error::Error;
use crate::events::consumed::{Consumer, QUEUE};

/// Rows on a page unless staff wants more or fewer.
const PAGE: u16 = 50;
/// Rows on the largest page.
const LARGEST_PAGE: u16 = 500;

#[derive(Clone)]
pub struct Doors {
    pub db: Db,
    pub verifier: Verifier,
    pub consumer: Arc<Consumer>,
}

impl Doors {
    /// Every service of this process, health included.
    pub async fn routes(self) -> Routes {
        let (health_reporter, health) = tonic_health::server::health_reporter();
        health_reporter.set_serving::<StaffServiceServer<Self>>().await;
        Routes::new(health).add_service(StaffServiceServer::new(self))
    }

    async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Error> {
        Ok(self.verifier.staff(metadata, permission).await?)
    }
}

#[tonic::async_trait]
impl StaffService for Doors {
    async fn list_dead_letters(
        &self,
        request: Request<ListDeadLettersRequest>,
    ) -> Result<Response<ListDeadLettersResponse>, Status> {
        self.staff(request.metadata(), Permission::See).await?;
        Ok(Response::new(ListDeadLettersResponse { dead_letters: list_dead_letters(&self.db, QUEUE).await? }))
    }

    async fn replay_dead_letter(
        &self,
        request: Request<ReplayDeadLetterRequest>,
    ) -> Result<Response<ReplayDeadLetterResponse>, Status> {
        let staff = self.staff(request.metadata(), Permission::ReplayDeadLetters).await?;
        let request_id = request_id(request.metadata()).to_owned();
        let message = request.into_inner();
        let replay = Replay {
            claim: Claim::of(staff.user_id, message.idempotency.as_ref(), &request_id).map_err(Error::from)?,
            staff,
            event_id: message.id,
            client_address: message.client_address,
        };
        let done = replay_dead_letter(&self.db, &*self.consumer, &replay).await?;
        self.consumer.0.queued.notify_one();
        Ok(answer(done.map(|()| ReplayDeadLetterResponse {})))
    }

    async fn list_audit_rows(
        &self,
        request: Request<ListAuditRowsRequest>,
    ) -> Result<Response<ListAuditRowsResponse>, Status> {
        self.staff(request.metadata(), Permission::SeeAudit).await?;
        let message = request.into_inner();
        let (size, before) = page(message.page).map_err(Error::from)?;
        let filter = Filter::try_from(message.filter).map_err(Error::from)?;
        let (rows, more) = list_audit_rows(&self.db, &filter, before, size).await?;
        let next_cursor = rows.last().filter(|_| more).map(|last| last.id.to_string()).unwrap_or_default();
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}

fn page(request: Option<PageRequest>) -> Result<(u16, Option<i64>), Refusal> {
    let request = request.unwrap_or_default();
    let size = match u16::try_from(request.size) {
        Ok(0) => PAGE,
        Ok(size) if size <= LARGEST_PAGE => size,
        _ => return Err(Refusal::field("size", format!("The page size must be 1 to {LARGEST_PAGE}."))),
    };
    let before = match request.cursor.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| Refusal::field("cursor", "This page link is not valid."))?),
    };
    Ok((size, before))
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match &error {
            Error::Replayed(replayed) => replayed_status(replayed),
            error => to_status(error),
        }
    }
}
