//! Changes that take two people: one proposes, another confirms. The database refuses the same person for both.

use proto::common::v1::{ErrorReason, Proposal as Message, ProposalStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::{self, Act};
use crate::clock;
use crate::db::{Db, PgConnection};
use crate::decision::{Decided, Proposer, Signed, changed_meanwhile};
use crate::error::{Kind, Refusal};
use crate::idempotency::{Claim, Keyed, Work};
use crate::identity::Staff;
use crate::permission::Permission;
use crate::roots::to_hex;

/// A row of `proposals`; also the stored answer of the keyed call that made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Proposal {
    /// Also the key of its row.
    pub id: Uuid,
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
    pub proposed_by: Uuid,
    /// When they proposed it.
    pub proposed_at: OffsetDateTime,
    /// Who confirmed or rejected it.
    pub decided_by: Option<Uuid>,
    /// When they confirmed or rejected it.
    pub decided_at: Option<OffsetDateTime>,
    /// Until when it can be decided; unset in answers that the version before stored.
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

    /// What somebody decides who confirms or rejects it.
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
    /// The person who decides.
    pub staff: Staff,
    /// Id of the proposal.
    pub id: Uuid,
    /// Whether they confirm or reject it.
    pub decision: Decision,
    /// Their IP address, for the audit log.
    pub client_address: String,
    /// Idempotency key of the call.
    pub claim: Option<Claim>,
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
            END AS "status!", proposed_by, proposed_at, decided_by, decided_at, proposed_at + interval '7 days' AS expires_at "#
                + $after
            $(, $value)*
        )
    };
}

/// Writes an open proposal.
pub async fn open(
    conn: &mut PgConnection,
    kind: &str,
    subject_id: Option<Uuid>,
    change: &Value,
    before: Option<&Value>,
    proposed_by: Uuid,
) -> Result<Proposal, sqlx::Error> {
    proposals!(
        "INSERT INTO proposals (id, kind, subject_id, change, before, proposed_by) VALUES ($1, $2, $3, $4, $5, $6) RETURNING",
        "",
        Uuid::now_v7(),
        kind,
        subject_id,
        change,
        before,
        proposed_by
    )
    .fetch_one(conn)
    .await
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
    if confirms && proposal.proposed_by == command.staff.user_id {
        return Ok(None);
    }
    let permission = Permission::to_propose(&proposal.kind);
    let proposer = confirms.then_some(Proposer { id: proposal.proposed_by, permission });
    match command.staff.sign(proposal.decided(command.decision), proposer).await {
        Ok(signed) => Ok(Some(signed)),
        Err(refusal) if refusal.reason() == ErrorReason::ProposerNotPermitted => {
            drop_proposal(db, &proposal).await?;
            let mut work = Work::begin::<E>(db, command.claim.clone()).await?;
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
        proposal.id,
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

/// Decides an open proposal as it was signed, and returns both; the caller puts the change into effect in the same
/// transaction, and then [`record`]s the decision.
///
/// # Errors
/// NotFound, Conflict (`PROPOSAL_CLOSED`, `PROPOSAL_EXPIRED`, `STALE_REVISION`), Forbidden (`SELF_CONFIRMATION`).
pub async fn decide<'s, E: From<sqlx::Error> + From<Refusal>>(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: Option<&'s Signed>,
) -> Result<(Proposal, &'s Signed), E> {
    let proposal = lock(conn, command.id).await?;
    let proposal =
        proposal.ok_or_else(|| E::from(Refusal::new(Kind::NotFound, ErrorReason::NotFound, "Proposal not found.")))?;
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
    if command.decision == Decision::Confirm && proposal.proposed_by == command.staff.user_id {
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
        command.id,
        status,
        command.staff.user_id
    )
    .fetch_one(conn)
    .await?;
    Ok((decided, signed))
}

/// Writes the decision to the audit log; `member_id` is the member whom the proposal concerns.
pub async fn record(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: &Signed,
    (proposal, member_id): (&Proposal, Option<Uuid>),
) -> Result<(), sqlx::Error> {
    let act = Act {
        staff: &command.staff,
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
        address: &command.client_address,
    };
    audit::append_signed(conn, act, signed).await
}

async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<Proposal>, sqlx::Error> {
    proposals!("SELECT", "FROM proposals WHERE id = $1", id).fetch_optional(conn).await
}

async fn lock(conn: &mut PgConnection, id: Uuid) -> Result<Option<Proposal>, sqlx::Error> {
    proposals!("SELECT", "FROM proposals WHERE id = $1 FOR UPDATE", id).fetch_optional(conn).await
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
pub async fn name_subject(conn: &mut PgConnection, id: Uuid, subject_id: Uuid) -> Result<Proposal, sqlx::Error> {
    proposals!("UPDATE proposals SET subject_id = $2 WHERE id = $1 RETURNING", "", id, subject_id).fetch_one(conn).await
}

/// Proposals, newest first, of one status or all, before a cursor (the id of the last one seen).
pub async fn list(
    conn: &mut PgConnection,
    status: ProposalStatus,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Proposal>, sqlx::Error> {
    let status = match status {
        ProposalStatus::Unspecified => None,
        ProposalStatus::Open => Some("open"),
        ProposalStatus::Confirmed => Some("confirmed"),
        ProposalStatus::Rejected => Some("rejected"),
        ProposalStatus::Expired => Some("expired"),
    };
    // Ids are UUIDv7: their order is the order of proposal.
    proposals!(
        "SELECT",
        "FROM proposals WHERE ($1::text IS NULL OR CASE
                WHEN status <> 'open' THEN status
                WHEN proposed_at <= clock_timestamp() - interval '7 days' THEN 'expired' ELSE 'open' END = $1)
            AND ($2::uuid IS NULL OR id < $2)
         ORDER BY id DESC LIMIT $3",
        status,
        before,
        limit
    )
    .fetch_all(conn)
    .await
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
        }
    }
}
