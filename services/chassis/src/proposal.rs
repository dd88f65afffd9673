//! Changes that take two people: one proposes, another confirms; the database refuses one person in both parts.

use proto::common::v1::{ErrorReason, Proposal as Message, ProposalStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::caller::Staff;
use crate::clock;
use crate::db::PgConnection;
use crate::error::{Kind, Refusal};
use crate::idempotency::Claim;
use crate::permission::Permission;

/// A row of `proposals`; also the stored answer of the keyed call that made it.
#[derive(Debug, Clone, FromRow, Serialize, Deserialize)]
pub struct Proposal {
    /// Its id.
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
    /// When.
    pub proposed_at: OffsetDateTime,
    /// Who confirmed or rejected it.
    pub decided_by: Option<Uuid>,
    /// When.
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
}

/// What a decision does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It takes effect, in the same transaction.
    Confirm,
    /// It ends without effect.
    Reject,
}

/// A decision as somebody asks for it.
#[derive(Debug, Clone)]
pub struct DecideProposal {
    /// Who decides.
    pub staff: Staff,
    /// Which proposal.
    pub id: Uuid,
    /// How.
    pub decision: Decision,
    /// Where they sit.
    pub client_address: String,
    /// Their key.
    pub claim: Option<Claim>,
}

/// The life of a proposal, as an SQL interval.
macro_rules! life {
    () => {
        "interval '7 days'"
    };
}

/// The columns of a proposal by their names: a statement that is kept with its connection would fail after a later version
/// has added one.
macro_rules! columns {
    () => {
        concat!(
            "id, kind, subject_id, change, before, CASE WHEN status = 'open' AND proposed_at <= clock_timestamp() - ",
            life!(),
            " THEN 'expired' ELSE status END AS status, proposed_by, proposed_at, decided_by, decided_at, proposed_at + ",
            life!(),
            " AS expires_at"
        )
    };
}

/// Writes an open proposal.
///
/// # Errors
/// The database's.
pub async fn open(
    conn: &mut PgConnection,
    kind: &str,
    subject_id: Option<Uuid>,
    change: &Value,
    before: Option<&Value>,
    proposed_by: Uuid,
) -> Result<Proposal, sqlx::Error> {
    sqlx::query_as(concat!(
        "INSERT INTO proposals (id, kind, subject_id, change, before, proposed_by) VALUES ($1, $2, $3, $4, $5, $6)
             RETURNING ",
        columns!()
    ))
    .bind(Uuid::now_v7())
    .bind(kind)
    .bind(subject_id)
    .bind(change)
    .bind(before)
    .bind(proposed_by)
    .fetch_one(conn)
    .await
}

/// Decides an open proposal and returns it; the caller puts its change into effect in the same transaction.
///
/// # Errors
/// NotFound, Conflict (`PROPOSAL_CLOSED`, `PROPOSAL_EXPIRED`), Forbidden (`SELF_CONFIRMATION`), the database's.
pub async fn decide<E: From<sqlx::Error> + From<Refusal>>(
    conn: &mut PgConnection,
    id: Uuid,
    decision: Decision,
    by: Uuid,
) -> Result<Proposal, E> {
    let proposal: Option<Proposal> =
        sqlx::query_as(concat!("SELECT ", columns!(), " FROM proposals WHERE id = $1 FOR UPDATE"))
            .bind(id)
            .fetch_optional(&mut *conn)
            .await?;
    let proposal = proposal
        .ok_or_else(|| E::from(Refusal::new(Kind::NotFound, ErrorReason::NotFound, "There is no such proposal.")))?;
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
            "This proposal has been decided already.",
        )));
    }
    if decision == Decision::Confirm && proposal.proposed_by == by {
        return Err(E::from(Refusal::new(
            Kind::Forbidden,
            ErrorReason::SelfConfirmation,
            "Somebody else has to confirm what you proposed.",
        )));
    }
    let status = if decision == Decision::Confirm { "confirmed" } else { "rejected" };
    let decided = sqlx::query_as(concat!(
        "UPDATE proposals SET status = $2, decided_by = $3, decided_at = clock_timestamp() WHERE id = $1 RETURNING ",
        columns!()
    ))
    .bind(id)
    .bind(status)
    .bind(by)
    .fetch_one(conn)
    .await?;
    Ok(decided)
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
///
/// # Errors
/// The database's.
pub async fn name_subject(conn: &mut PgConnection, id: Uuid, subject_id: Uuid) -> Result<Proposal, sqlx::Error> {
    sqlx::query_as(concat!("UPDATE proposals SET subject_id = $2 WHERE id = $1 RETURNING ", columns!()))
        .bind(id)
        .bind(subject_id)
        .fetch_one(conn)
        .await
}

/// Proposals, newest first, of one status or all, before a cursor (the id of the last one seen).
///
/// # Errors
/// The database's.
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
    sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM proposals WHERE ($1::text IS NULL OR CASE
                WHEN status <> 'open' THEN status
                WHEN proposed_at <= clock_timestamp() - ",
        life!(),
        " THEN 'expired' ELSE 'open' END = $1) AND ($2::uuid IS NULL OR id < $2)
         ORDER BY id DESC LIMIT $3",
    ))
    .bind(status)
    .bind(before)
    .bind(limit)
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
