//! The gRPC server: the notices of members and their own download; announcements, unprocessable events and the audit log for
//! staff.

mod announcements;

mod notices;

use std::sync::Arc;

use chassis::audit::AuditLog;
use chassis::db::Db;
use chassis::dead_letter::DeadLetters;
use chassis::error::to_status;
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use chassis::proposal::Proposals;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::dead_letter_service_server::DeadLetterServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::common::v1::proposal_service_server::ProposalServiceServer;
use proto::mailer::v1::announcement_service_server::AnnouncementServiceServer;
use proto::mailer::v1::notice_service_server::NoticeServiceServer;
use tonic::Status;
use tonic::service::Routes;

use crate::error::Error;
use crate::events::consumed::{Consumer, QUEUE};
use crate::push::Push;
use crate::store::member_data::MemberTables;

#[derive(Clone)]
pub struct GrpcServer {
    pub db: Db,
    pub verifier: Verifier,
    pub consumer: Arc<Consumer>,
    /// Unset if notices are not sent to devices.
    pub push: Option<Arc<Push>>,
}

impl GrpcServer {
    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let data = MemberData::<MemberTables>::new(self.db.clone(), self.verifier.clone());
        Routes::new(MemberDataServiceServer::new(data))
            .add_service(NoticeServiceServer::new(self.clone()))
            .add_service(AnnouncementServiceServer::new(self.clone()))
            .add_service(ProposalServiceServer::new(self.proposals()))
            .add_service(AuditServiceServer::new(self.audit_log()))
            .add_service(DeadLetterServiceServer::new(self.dead_letters()))
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

    /// The dead letters of this service.
    #[must_use]
    pub fn dead_letters(&self) -> DeadLetters {
        DeadLetters::new(self.db.clone(), self.verifier.clone(), QUEUE, self.consumer.clone())
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
