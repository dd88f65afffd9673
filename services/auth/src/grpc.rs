//! The gRPC server: authenticates the caller, converts, calls the use case, converts back.

mod auth;
mod confirmation;
mod convert;
mod decision;
mod directory;
mod factors;
mod files;
mod member_data;
mod staff;

use chassis::id::{MemberId, SessionId, StaffId};
use std::sync::Arc;

use async_trait::async_trait;
use chassis::audit::AuditLog;
use chassis::decision::{Decided, Proposer};
use chassis::error::{Refusal, to_status};
use chassis::identity::{Session, Sessions, Signatures, Verifier, unauthenticated};
use chassis::permission::Permission;
use chassis::proposal::Proposals;
use proto::auth::v1::auth_service_server::AuthServiceServer;
use proto::auth::v1::confirmation_service_server::ConfirmationServiceServer;
use proto::auth::v1::decision_service_server::DecisionServiceServer;
use proto::auth::v1::directory_service_server::DirectoryServiceServer;
use proto::auth::v1::factor_service_server::FactorServiceServer;
use proto::auth::v1::staff_service_server::StaffServiceServer;
use proto::common::v1::audit_service_server::AuditServiceServer;
use proto::common::v1::file_owner_service_server::FileOwnerServiceServer;
use proto::common::v1::member_data_service_server::MemberDataServiceServer;
use proto::common::v1::proposal_service_server::ProposalServiceServer;
use tonic::Status;
use tonic::service::Routes;

use crate::app::App;
use crate::app::account::get_users::get_users;
use crate::app::security::sign_decision::{SignDecision, permission, sign_decision};
use crate::app::session::get_session::get_session;
use crate::app::staff::list_staff::list_permitted_staff;
use crate::error::Error;

/// The services of `solvane.auth.v1`.
#[derive(Clone)]
pub struct GrpcServer {
    app: Arc<App>,
    verifier: Verifier,
}

impl GrpcServer {
    /// Serves these use cases to callers with these keys.
    #[must_use]
    pub fn new(app: Arc<App>, signatures: Signatures) -> Self {
        let sessions = Arc::new(OwnSessions { app: Arc::clone(&app), signatures: signatures.clone() });
        Self { app, verifier: Verifier::new(signatures, sessions) }
    }

    /// Every service of this process.
    #[must_use]
    pub fn routes(self) -> Routes {
        Routes::new(AuthServiceServer::new(self.clone()))
            .add_service(DirectoryServiceServer::new(self.clone()))
            .add_service(DecisionServiceServer::new(self.clone()))
            .add_service(ConfirmationServiceServer::new(self.clone()))
            .add_service(FileOwnerServiceServer::new(self.clone()))
            .add_service(FactorServiceServer::new(self.clone()))
            .add_service(MemberDataServiceServer::new(self.clone()))
            .add_service(AuditServiceServer::new(self.audit_log()))
            .add_service(ProposalServiceServer::new(self.proposals()))
            .add_service(StaffServiceServer::new(self))
    }

    /// The audit log of this service.
    #[must_use]
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::new(self.app.db.clone(), self.verifier.clone())
    }

    /// The proposals of this service.
    #[must_use]
    pub fn proposals(&self) -> Proposals<Self> {
        Proposals::new(self.app.db.clone(), self.verifier.clone(), self.clone())
    }
}

/// Sessions from the own table, without a cache: what is revoked is refused at once.
struct OwnSessions {
    app: Arc<App>,
    signatures: Signatures,
}

#[async_trait]
impl Sessions for OwnSessions {
    async fn live(&self, session_id: SessionId) -> Result<Option<Session>, Refusal> {
        let found = get_session(&self.app, session_id).await.map_err(|error| unknown(&error))?;
        Ok(found.map(|found| found.session))
    }

    async fn is_frozen(&self, user_id: MemberId) -> Result<bool, Refusal> {
        let users = get_users(&self.app, &[user_id.into()]).await.map_err(|error| unknown(&error))?;
        Ok(users.iter().any(|user| user.frozen_at.is_some()))
    }

    async fn permitted_staff(&self, permission: Permission) -> Result<Vec<StaffId>, Refusal> {
        list_permitted_staff(&self.app, permission).await.map_err(|error| unknown(&error))
    }

    async fn sign(&self, token: &str, decided: &Decided, proposer: Option<Proposer>) -> Result<String, Refusal> {
        let permission = permission(&decided.permission).map_err(|error| Refusal::of(&error))?;
        let digest = decided.digest();
        let session_id = self.signatures.session(token).ok_or_else(unauthenticated)?.session_id;
        let wanted = SignDecision { service: "auth", session_id, permission, digest, proposer };
        sign_decision(&self.app, &wanted).await.map_err(|error| Refusal::of(&error))
    }
}

fn unknown(error: &Error) -> Refusal {
    tracing::warn!(%error, "cannot look up a session");
    Refusal::of(error)
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        to_status(&error)
    }
}
