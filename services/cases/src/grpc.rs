//! The gRPC server: for members and staff.

mod convert;

mod files;

mod members;

mod staff;

use chassis::audit::AuditLog;
use chassis::db::Db;
use chassis::error::to_status;
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use proto::cases::v1::case_service_server::CaseServiceServer;
use proto::cases::v1::staff_service_server::StaffServiceServer;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::file_owner_service_server::FileOwnerServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use time::Duration;
use tonic::Status;
use tonic::service::Routes;

use crate::error::Error;
use crate::store::member_data::MemberTables;

#[derive(Clone)]
pub struct GrpcServer {
    pub db: Db,
    pub verifier: Verifier,
    /// Within which staff mean to answer.
    pub answer_time: Duration,
}

impl GrpcServer {
    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let data = MemberData::<MemberTables>::new(self.db.clone(), self.verifier.clone());
        Routes::new(CaseServiceServer::new(self.clone()))
            .add_service(FileOwnerServiceServer::new(self.clone()))
            .add_service(MemberDataServiceServer::new(data))
            .add_service(AuditServiceServer::new(self.audit_log()))
            .add_service(StaffServiceServer::new(self))
    }

    /// The audit log of this service.
    #[must_use]
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::new(self.db.clone(), self.verifier.clone())
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
