//! Changes that take two people: one proposes, another confirms. The database refuses the same person for both.

mod apply;

mod service;

use proto::common::v1::{ErrorReason, ProposalStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::{self, Act};
use crate::db::PgConnection;
use crate::decision::{Decided, Signed, changed_meanwhile};
use crate::error::{Kind, Refusal};
use crate::hex::to_hex;
use crate::id::{MemberId, ProposalId, StaffId};
use crate::identity::Staff;
use crate::page::{Listed, Page};
use crate::permission::Permission;
use crate::staff_call::StaffCall;

pub use self::apply::{Apply, decide_and_apply, sign};
pub use self::service::{Decides, Proposals};

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
