//! The gRPC server: unprocessable events and the audit log for staff, and the member's own download.

use std::sync::Arc;

use chassis::audit::AuditLog;
use chassis::db::Db;
use chassis::dead_letter::DeadLetters;
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::dead_letter_service_server::DeadLetterServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use tonic::service::Routes;

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
        Routes::new(MemberDataServiceServer::new(data))
            .add_service(AuditServiceServer::new(self.audit_log()))
            .add_service(DeadLetterServiceServer::new(self.dead_letters()))
    }

    /// The audit log of this service.
    #[must_use]
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::new(self.db.clone(), self.verifier.clone())
    }

    /// The dead letters of this service.
    #[must_use]
    pub fn dead_letters(&self) -> DeadLetters {
        DeadLetters::new(self.db.clone(), self.verifier.clone(), QUEUE, self.consumer.clone())
    }
}
