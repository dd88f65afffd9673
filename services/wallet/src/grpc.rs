//! The gRPC server: for members, staff and the services trade and course.

mod closing;

mod convert;

mod course_access;

mod evidence;

mod files;

mod holdings;

mod liabilities;

mod members;

mod payouts;

mod receipts;

mod returns;

mod settlement;

mod staff;

mod status;

mod treasury;

mod unclaimed;

pub mod verdict_cache;

mod verdicts;

use crate::events::consumed::{Events, QUEUE};
use chassis::audit::AuditLog;
use chassis::db::{Db, Reads};
use chassis::dead_letter::DeadLetters;
use chassis::error::to_status;
use chassis::identity::{Session, Staff, Verifier, not_permitted};
use chassis::member_data::MemberData;
use chassis::permission::{MemberAct, Permission};
use chassis::proposal::Proposals;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::dead_letter_service_server::DeadLetterServiceServer;
use proto::common::v1::file_owner_service_server::FileOwnerServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::common::v1::proposal_service_server::ProposalServiceServer;
use proto::wallet::v1::backing_service_server::BackingServiceServer;
use proto::wallet::v1::closing_service_server::ClosingServiceServer;
use proto::wallet::v1::course_access_service_server::CourseAccessServiceServer;
use proto::wallet::v1::liabilities_service_server::LiabilitiesServiceServer;
use proto::wallet::v1::receipt_service_server::ReceiptServiceServer;
use proto::wallet::v1::staff_service_server::StaffServiceServer;
use proto::wallet::v1::status_service_server::StatusServiceServer;
use proto::wallet::v1::trade_settlement_service_server::TradeSettlementServiceServer;
use proto::wallet::v1::treasury_service_server::TreasuryServiceServer;
use proto::wallet::v1::wallet_service_server::WalletServiceServer;
use std::sync::Arc;
use tonic::Status;
use tonic::metadata::MetadataMap;
use tonic::service::Routes;

use crate::app::account::get_times::LastTimes;
use crate::app::review::get_figures::LastFigures;
use crate::app::transaction::get_transaction::Lines;
use crate::app::treasury::check_solvency::Tolerance;
use crate::app::withdrawal::request_withdrawal::{Gate, Outlooks};
use crate::clients::{Chains, Codes, Methods, Quotes};
use crate::domain::limits::Limits;
use crate::error::Error;
use crate::posting::ledger::Ledger;
use crate::store::member_data::MemberTables;

#[derive(Clone)]
pub struct GrpcServer {
    pub db: Db,
    /// Where the lists of staff, figures and statements are read.
    pub reads: Reads,
    /// Moves money for many calls at once.
    pub ledger: Ledger,
    pub gate: Gate,
    pub outlooks: Outlooks,
    pub lines: Lines,
    pub verifier: Verifier,
    pub methods: Methods,
    pub quotes: Quotes,
    pub chains: Chains,
    /// Mails and checks the codes of destinations.
    pub codes: Codes,
    pub limits: Limits,
    /// What may be missing for what members are owed.
    pub tolerance: Tolerance,
    /// Handling times, as members last received them.
    pub times: LastTimes,
    /// What the checklists of open transactions last came to.
    pub verdicts: verdict_cache::Verdicts,
    /// The figures of the business, as staff last received them.
    pub figures: LastFigures,
}

impl GrpcServer {
    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        let data = MemberData::<MemberTables>::new(self.db.clone(), self.verifier.clone());
        Routes::new(WalletServiceServer::new(self.clone()))
            .add_service(TradeSettlementServiceServer::new(self.clone()))
            .add_service(CourseAccessServiceServer::new(self.clone()))
            .add_service(LiabilitiesServiceServer::new(self.clone()))
            .add_service(ClosingServiceServer::new(self.clone()))
            .add_service(ReceiptServiceServer::new(self.clone()))
            .add_service(FileOwnerServiceServer::new(self.clone()))
            .add_service(MemberDataServiceServer::new(data))
            .add_service(TreasuryServiceServer::new(self.clone()))
            .add_service(BackingServiceServer::new(self.clone()))
            .add_service(AuditServiceServer::new(self.audit_log()))
            .add_service(ProposalServiceServer::new(self.proposals()))
            .add_service(DeadLetterServiceServer::new(self.dead_letters()))
            .add_service(StatusServiceServer::new(self.clone()))
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

    /// The dead letters of this service.
    #[must_use]
    pub fn dead_letters(&self) -> DeadLetters {
        let events = Events { db: self.db.clone(), chains: self.chains.clone(), methods: self.methods.clone() };
        DeadLetters::new(self.db.clone(), self.verifier.clone(), QUEUE, Arc::new(events))
    }

    /// A member, regardless of their state: for what the screens need before the email is confirmed.
    async fn member(&self, metadata: &MetadataMap) -> Result<Session, Error> {
        let session = self.verifier.session(metadata).await?;
        if session.role.is_some() { Err(not_permitted().into()) } else { Ok(session) }
    }

    async fn reader(&self, metadata: &MetadataMap) -> Result<Session, Error> {
        Ok(self.verifier.session(metadata).await?.reader()?)
    }

    async fn acting(&self, metadata: &MetadataMap, act: MemberAct) -> Result<Session, Error> {
        Ok(self.verifier.member(metadata, act).await?)
    }

    async fn staff(&self, metadata: &MetadataMap, permission: Permission) -> Result<Staff, Error> {
        Ok(self.verifier.staff(metadata, permission).await?)
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
