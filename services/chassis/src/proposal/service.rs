//! The proposals of a service, for staff.

use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{
    ConfirmProposalRequest, ConfirmProposalResponse, Idempotency, ListProposalsRequest, ListProposalsResponse,
    Proposal as Message, ProposalBlocker, ProposalStatus, RejectProposalRequest, RejectProposalResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{DecideProposal, Decision, Proposal, list, unknown};
use crate::clock;
use crate::db::{Db, retrying};
use crate::error::{Fault, Kind, Refusal, to_status};
use crate::grpc::{Reply, answer};
use crate::id::StaffId;
use crate::idempotency::Answer;
use crate::identity::Verifier;
use crate::page::{self, Page};
use crate::permission::Permission;
use crate::staff_call::StaffCall;

/// A service with proposals.
pub trait Decides: Send + Sync + 'static {
    /// The permissions to decide; which one is needed depends on the proposal.
    const PERMISSIONS: &'static [Permission];
    /// The errors of the service.
    type Error: Fault;

    /// Decides an open proposal. A confirmed one takes effect in the same transaction.
    fn decide(&self, command: &DecideProposal) -> impl Future<Output = Result<Answer<Proposal>, Self::Error>> + Send;

    /// Whether this person could confirm an open proposal now, as far as reading shows: staff see before they press what they
    /// would be refused with. The decision checks it again.
    fn check(&self, proposal: &Proposal, by: StaffId) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// The proposals of a service, for staff.
pub struct Proposals<S> {
    db: Db,
    verifier: Verifier,
    service: S,
}

impl<S: Decides> Proposals<S> {
    /// Serves the proposals of this database, which the service decides.
    #[must_use]
    pub fn new(db: Db, verifier: Verifier, service: S) -> Self {
        Self { db, verifier, service }
    }

    /// What the confirmation of each would be refused with. The list is worth more than what it could not find out.
    async fn blockers(&self, rows: &[Proposal], by: StaffId) -> Vec<Option<ProposalBlocker>> {
        let mut blockers = vec![None; rows.len()];
        for (row, blocker) in rows.iter().zip(&mut blockers).filter(|(row, _)| row.status == "open") {
            let Err(error) = self.service.check(row, by).await else { continue };
            if matches!(error.kind(), Kind::Internal | Kind::Unavailable) {
                tracing::warn!(%error, id = %row.id, "a proposal could not be checked");
                break;
            }
            let refusal = Refusal::of(&error);
            *blocker = Some(ProposalBlocker { code: refusal.code, message: refusal.message });
        }
        blockers
    }

    async fn decide(
        &self,
        metadata: &MetadataMap,
        (id, address, key): (&str, String, Option<Idempotency>),
        decision: Decision,
    ) -> Result<Answer<Message>, Status> {
        let staff = self.verifier.staff_with_any(metadata, S::PERMISSIONS).await?;
        let call = StaffCall::of(staff, metadata, address, key.as_ref())?;
        let command = DecideProposal { call, id: id.parse().map_err(|_| unknown())?, decision };
        let decided = retrying(|| self.service.decide(&command)).await.map_err(|error| to_status(&error))?;
        Ok(decided.map(Message::from))
    }
}

#[tonic::async_trait]
impl<S: Decides> ProposalService for Proposals<S> {
    /// In pages of 100 unless they want another size.
    async fn list_proposals(&self, request: Request<ListProposalsRequest>) -> Reply<ListProposalsResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::See).await?;
        let ListProposalsRequest { status, page } = request.into_inner();
        let status =
            ProposalStatus::try_from(status).map_err(|_| Refusal::field("status", "This status does not exist."))?;
        let page = Page::parse(page, page::OF_STAFF)?;
        let mut conn = self.db.conn().await.map_err(|error| to_status(&error))?;
        let (rows, next_cursor) = list(&mut conn, status, &page).await.map_err(|error| to_status(&error))?;
        drop(conn);
        let blockers = self.blockers(&rows, staff.id).await;
        let told = |(row, blocker)| Message { blocker, ..Message::from(row) };
        let proposals = rows.into_iter().zip(blockers).map(told).collect();
        Ok(Response::new(ListProposalsResponse { proposals, next_cursor }))
    }

    async fn confirm_proposal(&self, request: Request<ConfirmProposalRequest>) -> Reply<ConfirmProposalResponse> {
        let (metadata, _, message) = request.into_parts();
        let asked = (&*message.proposal_id, message.client_address, message.idempotency);
        let decided = self.decide(&metadata, asked, Decision::Confirm).await?;
        Ok(answer(decided.map(|proposal| ConfirmProposalResponse { proposal: Some(proposal) })))
    }

    async fn reject_proposal(&self, request: Request<RejectProposalRequest>) -> Reply<RejectProposalResponse> {
        let (metadata, _, message) = request.into_parts();
        let asked = (&*message.proposal_id, message.client_address, message.idempotency);
        let decided = self.decide(&metadata, asked, Decision::Reject).await?;
        Ok(answer(decided.map(|proposal| RejectProposalResponse { proposal: Some(proposal) })))
    }
}

impl From<Proposal> for Message {
    fn from(row: Proposal) -> Self {
        let status = match row.status.as_str() {
            "confirmed" => ProposalStatus::Confirmed,
            "rejected" => ProposalStatus::Rejected,
            "expired" => ProposalStatus::Expired,
            _ => ProposalStatus::Open,
        };
        let permission = row.permission().as_str().to_owned();
        Self {
            id: row.id.to_string(),
            kind: row.kind,
            status: status.into(),
            subject_id: row.subject_id.map(|id| id.to_string()).unwrap_or_default(),
            change_json: row.change.to_string(),
            before_json: row.before.map(|value| value.to_string()).unwrap_or_default(),
            proposed_by: row.proposed_by.to_string(),
            proposed_at: Some(clock::to_proto(row.proposed_at)),
            decided_by: row.decided_by.map(|id| id.to_string()).unwrap_or_default(),
            decided_at: row.decided_at.map(clock::to_proto),
            expires_at: row.expires_at.map(clock::to_proto),
            permission,
            blocker: None,
        }
    }
}
