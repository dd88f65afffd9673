//! The gRPC server: plans and trades for members, plans and values for staff.

mod convert;

mod members;

mod staff;

use chassis::audit::AuditLog;
use chassis::db::Db;
use chassis::error::to_status;
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use chassis::proposal::Proposals;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::common::v1::proposal_service_server::ProposalServiceServer;
use proto::trade::v1::staff_service_server::StaffServiceServer;
use proto::trade::v1::trade_service_server::TradeServiceServer;
use tonic::Status;
use tonic::service::Routes;

use crate::clients::Wallet;
use crate::error::Error;
use crate::store::member_data::MemberTables;

#[derive(Clone)]
pub struct GrpcServer {
    pub db: Db,
    pub verifier: Verifier,
    pub wallet: Wallet,
}

impl GrpcServer {
    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let data = MemberData::<MemberTables>::new(self.db.clone(), self.verifier.clone());
        Routes::new(TradeServiceServer::new(self.clone()))
            .add_service(MemberDataServiceServer::new(data))
            .add_service(AuditServiceServer::new(self.audit_log()))
            .add_service(ProposalServiceServer::new(self.proposals()))
            .add_service(StaffServiceServer::new(self))
    }

    /// The audit log of this service.
    #[must_use]
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::new(self.db.clone(), self.verifier.clone())
    }

    /// The proposals of this service.
    #[must_use]
    pub fn proposals(&self) -> Proposals<Self> {
        Proposals::new(self.db.clone(), self.verifier.clone(), self.clone())
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
