//! The gRPC server: for members, staff and the services trade and course. It is that of one bucket; [`router`] finds the right one.

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

pub mod router;

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
use chassis::permission::{MemberAct, Permission};
use chassis::proposal::Proposals;
use std::sync::Arc;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::app::account::get_times::LastTimes;
use crate::app::review::get_figures::LastFigures;
use crate::app::transaction::get_transaction::Lines;
use crate::app::treasury::check_solvency::Tolerance;
use crate::app::withdrawal::request_withdrawal::{Gate, Outlooks};
use crate::clients::{Chains, Codes, Methods, Quotes};
use crate::domain::limits::Limits;
use crate::error::Error;
use crate::posting::ledger::Ledger;

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
