//! The gRPC server: methods of members, lookups, quotes, evidence and payouts for wallet, platform methods and rates for staff.

mod convert;

mod evidence;

mod files;

mod lookup;

mod members;

mod payouts;

mod quotes;

mod staff;

mod status;

use std::sync::Arc;

use chassis::audit::AuditLog;
use chassis::db::Db;
use chassis::error::to_status;
use chassis::identity::Verifier;
use chassis::member_data::MemberData;
use chassis::proposal::Proposals;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::file_owner_service_server::FileOwnerServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::common::v1::proposal_service_server::ProposalServiceServer;
use proto::payment_method::v1::evidence_service_server::EvidenceServiceServer;
use proto::payment_method::v1::method_lookup_service_server::MethodLookupServiceServer;
use proto::payment_method::v1::payment_method_service_server::PaymentMethodServiceServer;
use proto::payment_method::v1::payout_service_server::PayoutServiceServer;
use proto::payment_method::v1::quote_service_server::QuoteServiceServer;
use proto::payment_method::v1::staff_service_server::StaffServiceServer;
use proto::payment_method::v1::status_service_server::StatusServiceServer;
use tonic::Status;
use tonic::service::Routes;

use crate::clients::chain::Chain;
use crate::clients::lookups::Lookups;
use crate::domain::quote::Tolerance;
use crate::error::Error;
use crate::store::member_data::MemberTables;
use crate::treasury::PublicKeys;

#[derive(Clone)]
pub struct GrpcServer {
    pub db: Db,
    pub verifier: Verifier,
    /// Verifies signatures of platform addresses.
    pub treasury: PublicKeys,
    /// What quotes add to a rate, in hundredths of a percent.
    pub spread_bps: u16,
    /// How far payments may differ from their quotes.
    pub tolerance: Tolerance,
    /// The chains that have a node.
    pub chains: Arc<[Chain]>,
    /// What their nodes said about transactions.
    pub lookups: Arc<Lookups>,
}

impl GrpcServer {
    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let data = MemberData::<MemberTables>::new(self.db.clone(), self.verifier.clone());
        Routes::new(PaymentMethodServiceServer::new(self.clone()))
            .add_service(MethodLookupServiceServer::new(self.clone()))
            .add_service(QuoteServiceServer::new(self.clone()))
            .add_service(EvidenceServiceServer::new(self.clone()))
            .add_service(PayoutServiceServer::new(self.clone()))
            .add_service(StatusServiceServer::new(self.clone()))
            .add_service(FileOwnerServiceServer::new(self.clone()))
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
