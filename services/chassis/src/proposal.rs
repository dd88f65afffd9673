//! Changes that take two people: one proposes, another confirms. The database refuses the same person for both.

use proto::common::v1::proposal_service_server::ProposalService;
use proto::common::v1::{
    ConfirmProposalRequest, ConfirmProposalResponse, ErrorReason, Idempotency, ListProposalsRequest,
    ListProposalsResponse, Proposal as Message, ProposalBlocker, ProposalStatus, RejectProposalRequest,
    RejectProposalResponse,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::audit::{self, Act};
use crate::clock;
use crate::db::{Db, PgConnection, retrying};
use crate::decision::{Decided, Proposer, Signed, changed_meanwhile};
use crate::error::{Fault, Kind, Refusal, to_status};
use crate::grpc::{Reply, answer};
use crate::id::{MemberId, ProposalId, StaffId};
use crate::idempotency::{Answer, Keyed, Work};
use crate::identity::{Staff, Verifier};
use crate::page::{self, Listed, Page};
use crate::permission::Permission;
use crate::roots::to_hex;
use crate::staff_call::StaffCall;

/// A row of `proposals`; also the stored answer of the keyed call that made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Proposal {
    /// Also the key of its row.
    pub id: ProposalId,
    /// What would change, e.g. `plan.value`.
    pub kind: String,
    /// The thing it is about, if it exists already.
    pub subject_id: Option<Uuid>,
    /// The change, in the service's own words.
    pub change: Value,
    /// What it replaces.
    pub before: Option<Value>,
    /// `open`, `confirmed`, `rejected` or `expired`.
    pub status: String,
    /// Who proposed it.
    pub proposed_by: StaffId,
    /// When they proposed it.
    pub proposed_at: OffsetDateTime,
    /// Who confirmed or rejected it.
    pub decided_by: Option<StaffId>,
    /// When they confirmed or rejected it.
    pub decided_at: Option<OffsetDateTime>,
    /// Until when it can be decided.
    #[serde(default)]
    pub expires_at: Option<OffsetDateTime>,
}

impl Proposal {
    /// The permission that deciding it takes.
    #[must_use]
    pub fn permission(&self) -> Permission {
        Permission::of_proposal(&self.kind)
    }

    /// SHA-256 over what would change and what it replaces, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        digest(&self.kind, &self.change, self.before.as_ref())
    }

    /// What a person decides who confirms or rejects it.
    #[must_use]
    pub fn decided(&self, decision: Decision) -> Decided {
        let facts = json!({ "change": self.digest(), "subjectId": self.subject_id, "proposedBy": self.proposed_by });
        Decided::new(format!("{}.{}", self.kind, decision.verb()), self.id, self.permission(), facts)
    }
}

/// SHA-256 over a change and what it replaces, in hexadecimal.
#[must_use]
pub fn digest(kind: &str, change: &Value, before: Option<&Value>) -> String {
    to_hex(&Sha256::digest(json!([kind, change, before]).to_string()))
}

/// What a decision does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It takes effect, in the same transaction.
    Confirm,
    /// It ends without effect.
    Reject,
}

impl Decision {
    /// As the audit log names it.
    #[must_use]
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Reject => "reject",
        }
    }
}

/// A decision as somebody asks for it.
#[derive(Debug, Clone)]
pub struct DecideProposal {
    /// The person who decides, and their call.
    pub call: StaffCall,
    /// Id of the proposal.
    pub id: ProposalId,
    /// Whether they confirm or reject it.
    pub decision: Decision,
}

/// A statement that gives proposals, between what comes before their columns and after them. The columns are named: a
/// statement that is kept with its connection would fail after a later version has added one.
macro_rules! proposals {
    ($before:literal, $after:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Proposal,
            $before
                + r#" id, kind, subject_id, change, before, CASE
                WHEN status = 'open' AND proposed_at <= clock_timestamp() - interval '7 days' THEN 'expired' ELSE status
            END AS "status!", proposed_by, proposed_at, decided_by AS "decided_by: _", decided_at, proposed_at + interval '7 days' AS expires_at "#
                + $after
            $(, $value)*
        )
    };
}

/// A proposal before it is opened.
#[derive(Debug)]
pub struct NewProposal<'a> {
    /// The person who proposes.
    pub staff: &'a Staff,
    /// Their IP address, for the audit log.
    pub address: &'a str,
    /// What would change, e.g. `plan.value`.
    pub kind: &'a str,
    /// The thing that would change, if it exists already.
    pub subject_id: Option<Uuid>,
    /// The member concerned, for the audit log.
    pub member_id: Option<MemberId>,
    /// The change, in the service's own words.
    pub change: &'a Value,
    /// What it replaces.
    pub before: Option<Value>,
    /// The change as the audit log shows it.
    pub logged: Value,
}

impl<'a> NewProposal<'a> {
    /// A proposal about nothing that exists yet, whose change is logged as it is.
    #[must_use]
    pub fn new(staff: &'a Staff, address: &'a str, kind: &'a str, change: &'a Value) -> Self {
        Self { staff, address, kind, subject_id: None, member_id: None, change, before: None, logged: change.clone() }
    }
}

/// Writes an open proposal, and to the audit log who proposed it.
pub async fn open(conn: &mut PgConnection, new: NewProposal<'_>) -> Result<Proposal, sqlx::Error> {
    let proposal = proposals!(
        "INSERT INTO proposals (id, kind, subject_id, change, before, proposed_by) VALUES ($1, $2, $3, $4, $5, $6) RETURNING",
        "",
        Uuid::now_v7(),
        new.kind,
        new.subject_id,
        new.change,
        new.before,
        new.staff.id.get()
    )
    .fetch_one(&mut *conn)
    .await?;
    let act = Act {
        staff: new.staff,
        action: &format!("{}.propose", new.kind),
        subject_id: proposal.id.to_string(),
        member_id: new.member_id,
        before: new.before,
        after: Some(new.logged),
        address: new.address,
    };
    audit::append(conn, act).await?;
    Ok(proposal)
}

/// What the proposals of a service do once they are confirmed.
pub trait Apply: Sync {
    /// The errors of the service.
    type Error: Keyed;

    /// Puts a confirmed proposal into effect, in the transaction of the decision. Returns it with the id of what it made.
    fn apply(
        &self,
        conn: &mut PgConnection,
        proposal: Proposal,
    ) -> impl Future<Output = Result<Proposal, Self::Error>> + Send;

    /// The member whom a proposal concerns, for the audit log.
    fn member_of(&self, _proposal: &Proposal) -> Option<MemberId> {
        None
    }
}

/// Decides an open proposal in one transaction: a confirmed one takes effect, and the audit log records the decision with
/// its signature.
///
/// # Errors
/// Those of [`sign`], [`decide`] and [`Apply::apply`].
pub async fn decide_and_apply<A: Apply>(
    db: &Db,
    command: &DecideProposal,
    service: &A,
) -> Result<Answer<Proposal>, A::Error> {
    let signed = sign::<A::Error>(db, command).await?;
    let mut work = Work::begin::<A::Error>(db, command.call.claim.clone()).await?;
    if let Some(answer) = work.replay::<Proposal, A::Error>()? {
        return Ok(answer);
    }
    let result = decide_signed(&mut work, command, signed.as_ref(), service).await;
    work.settle(result).await
}

async fn decide_signed<A: Apply>(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: Option<&Signed>,
    service: &A,
) -> Result<Proposal, A::Error> {
    let (decided, signed) = decide::<A::Error>(conn, command, signed).await?;
    let decided = match command.decision {
        Decision::Confirm => service.apply(conn, decided).await?,
        Decision::Reject => decided,
    };
    record(conn, command, signed, (&decided, service.member_of(&decided))).await?;
    Ok(decided)
}

/// Has auth sign the decision about an open proposal, before the transaction; `None` where [`decide`] refuses anyway, or the
/// key has its answer. A proposal whose proposer is no longer permitted to make it is rejected, and the refusal is the
/// answer under the key.
///
/// # Errors
/// Forbidden, Conflict (`PROPOSER_NOT_PERMITTED`), Unavailable if auth cannot sign.
pub async fn sign<E: Keyed>(db: &Db, command: &DecideProposal) -> Result<Option<Signed>, E> {
    let found = find(&mut *db.conn().await?, command.id).await?.filter(|one| one.status == "open");
    let Some(proposal) = found else { return Ok(None) };
    let confirms = command.decision == Decision::Confirm;
    if confirms && proposal.proposed_by == command.call.staff.id {
        return Ok(None);
    }
    let permission = Permission::to_propose(&proposal.kind);
    let proposer = confirms.then_some(Proposer { id: proposal.proposed_by, permission });
    match command.call.staff.sign(proposal.decided(command.decision), proposer).await {
        Ok(signed) => Ok(Some(signed)),
        Err(refusal) if refusal.reason() == ErrorReason::ProposerNotPermitted => {
            drop_proposal(db, &proposal).await?;
            let mut work = Work::begin::<E>(db, command.call.claim.clone()).await?;
            if work.replay::<Value, E>()?.is_none() {
                work.settle::<(), E>(Err(E::from(refusal))).await?;
            }
            Ok(None)
        }
        Err(refusal) => Err(E::from(refusal)),
    }
}

/// Rejects an open proposal in the name of the service.
async fn drop_proposal(db: &Db, proposal: &Proposal) -> Result<(), sqlx::Error> {
    let mut tx = db.begin().await?;
    let ended = sqlx::query!(
        "UPDATE proposals SET status = 'rejected', decided_by = $2, decided_at = clock_timestamp()
         WHERE id = $1 AND status = 'open'",
        proposal.id.get(),
        Uuid::nil()
    )
    .execute(&mut *tx)
    .await?;
    if ended.rows_affected() == 1 {
        let after =
            json!({ "status": "rejected", "proposedBy": proposal.proposed_by, "cause": "PROPOSER_NOT_PERMITTED" });
        audit::append_own(&mut tx, &format!("{}.drop", proposal.kind), &proposal.id.to_string(), after).await?;
    }
    tx.commit().await
}

/// Decides an open proposal as it was signed, and returns both.
///
/// # Errors
/// NotFound, Conflict (`PROPOSAL_CLOSED`, `PROPOSAL_EXPIRED`, `STALE_REVISION`), Forbidden (`SELF_CONFIRMATION`).
pub async fn decide<'s, E: From<sqlx::Error> + From<Refusal>>(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: Option<&'s Signed>,
) -> Result<(Proposal, &'s Signed), E> {
    let proposal = lock(conn, command.id).await?;
    let proposal = proposal.ok_or_else(unknown)?;
    if proposal.status == "expired" {
        return Err(E::from(Refusal::new(
            Kind::Conflict,
            ErrorReason::ProposalExpired,
            "This proposal expired. Please propose it again.",
        )));
    }
    if proposal.status != "open" {
        return Err(E::from(Refusal::new(
            Kind::Conflict,
            ErrorReason::ProposalClosed,
            "This proposal has already been decided.",
        )));
    }
    if command.decision == Decision::Confirm && proposal.proposed_by == command.call.staff.id {
        return Err(E::from(Refusal::new(
            Kind::Forbidden,
            ErrorReason::SelfConfirmation,
            "Someone else has to confirm your proposal.",
        )));
    }
    let signed = signed.ok_or_else(changed_meanwhile)?;
    signed.check(&proposal.decided(command.decision))?;
    let status = if command.decision == Decision::Confirm { "confirmed" } else { "rejected" };
    let decided = proposals!(
        "UPDATE proposals SET status = $2, decided_by = $3, decided_at = clock_timestamp() WHERE id = $1 RETURNING",
        "",
        command.id.get(),
        status,
        command.call.staff.id.get()
    )
    .fetch_one(conn)
    .await?;
    Ok((decided, signed))
}

/// Writes the decision to the audit log; `member_id` is the member whom the proposal concerns.
async fn record(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: &Signed,
    (proposal, member_id): (&Proposal, Option<MemberId>),
) -> Result<(), sqlx::Error> {
    let act = Act {
        staff: &command.call.staff,
        action: &format!("{}.{}", proposal.kind, command.decision.verb()),
        subject_id: proposal.id.to_string(),
        member_id,
        before: proposal.before.clone(),
        after: Some(json!({
            "status": proposal.status,
            "subjectId": proposal.subject_id,
            "change": proposal.change,
            "proposedBy": proposal.proposed_by,
        })),
        address: &command.call.address,
    };
    audit::append_signed(conn, act, signed).await
}

/// The proposal with this id.
pub async fn find(conn: &mut PgConnection, id: ProposalId) -> Result<Option<Proposal>, sqlx::Error> {
    proposals!("SELECT", "FROM proposals WHERE id = $1", id.get()).fetch_optional(conn).await
}

async fn lock(conn: &mut PgConnection, id: ProposalId) -> Result<Option<Proposal>, sqlx::Error> {
    proposals!("SELECT", "FROM proposals WHERE id = $1 FOR UPDATE", id.get()).fetch_optional(conn).await
}

fn unknown() -> Refusal {
    Refusal::new(Kind::NotFound, ErrorReason::NotFound, "Proposal not found.")
}

/// The proposer's account ended, or no longer has the permission that the proposal takes.
#[must_use]
pub fn proposer_not_permitted() -> Refusal {
    Refusal::new(
        Kind::Conflict,
        ErrorReason::ProposerNotPermitted,
        "The person who proposed this may not do so any more. Please propose it again.",
    )
}

/// Names the thing a confirmed proposal made.
pub async fn name_subject(
    conn: &mut PgConnection,
    id: ProposalId,
    subject_id: impl Into<Uuid>,
) -> Result<Proposal, sqlx::Error> {
    proposals!("UPDATE proposals SET subject_id = $2 WHERE id = $1 RETURNING", "", id.get(), subject_id.into())
        .fetch_one(conn)
        .await
}

/// A page of the proposals of one status or all, newest first, and the cursor of the next page.
pub async fn list(
    conn: &mut PgConnection,
    status: ProposalStatus,
    page: &Page<ProposalId>,
) -> Result<Listed<Proposal>, sqlx::Error> {
    let status = match status {
        ProposalStatus::Unspecified => None,
        ProposalStatus::Open => Some("open"),
        ProposalStatus::Confirmed => Some("confirmed"),
        ProposalStatus::Rejected => Some("rejected"),
        ProposalStatus::Expired => Some("expired"),
    };
    // Ids are UUIDv7: their order is the order of proposal.
    let rows = proposals!(
        "SELECT",
        "FROM proposals WHERE ($1::text IS NULL OR CASE
                WHEN status <> 'open' THEN status
                WHEN proposed_at <= clock_timestamp() - interval '7 days' THEN 'expired' ELSE 'open' END = $1)
            AND ($2::uuid IS NULL OR id < $2)
         ORDER BY id DESC LIMIT $3",
        status,
        page.after as _,
        page.limit()
    )
    .fetch_all(conn)
    .await?;
    Ok(page.cut(rows, |row| row.id))
}

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
