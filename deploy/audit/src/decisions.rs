//! Verifies that auth signed the decisions of staff, and that the signed content matches the stored rows (D-B3).
//!
//! Decisions from before signing was introduced have no signature. In each database the first signed row of the audit
//! log is the boundary: the rows are chained, so none can be inserted before it later.

use anyhow::Result;
use chassis::decision::{Assertion, Decided};
use chassis::hex::to_hex;
use chassis::id::StaffId;
use chassis::keys::TrustedKeys;
use chassis::permission::Permission;
use chassis::proposal;
use futures::TryStreamExt;
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use super::passkeys;
use super::snapshots::Snapshots;
use super::verdict::Verdict;
use stack::Service;

/// A row is written while its signature is fresh. The clocks of two databases may differ by part of that time.
const SKEW_SECONDS: i64 = 300;
/// A second factor is fresh for five minutes.
const FACTOR_SECONDS: i64 = 300 + SKEW_SECONDS;

/// The actions that are decisions, whose rows need a signature.
const DECISIONS: &str = r"
    SELECT id, at, actor_id, actor_role, action, subject_id, decision, assertion FROM audit_rows
    WHERE assertion IS NOT NULL
        OR action ~ '\.(approve|reject|paying|paid|confirm|freeze|unfreeze|place|release)$' AND actor_role <> 'system'
            AND id > (SELECT min(id) FROM audit_rows WHERE assertion IS NOT NULL)
    ORDER BY id";

/// One signature for one row.
const REPEATED: &str = "
    SELECT format('row %s: its signature stands in row %s too', max(id), min(id)) FROM audit_rows
    WHERE assertion IS NOT NULL GROUP BY sha256(assertion::bytea) HAVING count(*) > 1 ORDER BY 1";

/// Decided proposals and the rows that decide proposals, each with the other. Before the boundary some services named the
/// proposal in the row's state. What a service ended by itself carries no person.
const PROPOSALS: &str = r"
    SELECT proposals.id AS proposal_id, kind, proposals.subject_id, change, proposals.before, status, proposed_by, decided_by,
        named.id AS row_id, named.action, named.decision, named.assertion IS NOT NULL AS is_signed,
        coalesce(named.id > (SELECT min(id) FROM audit_rows WHERE assertion IS NOT NULL), true) AS is_after
    FROM (SELECT * FROM proposals WHERE status <> 'open' AND decided_by <> '00000000-0000-0000-0000-000000000000') AS proposals
    FULL JOIN (
        SELECT coalesce(after ->> 'proposalId', subject_id) AS subject, id, actor_id, action, decision, assertion FROM audit_rows
        WHERE action ~ '\.(confirm|reject)$'
    ) AS named ON named.subject = proposals.id::text AND named.actor_id = decided_by
    WHERE proposals.id IS NOT NULL OR decision -> 'facts' ? 'proposedBy'
    ORDER BY proposals.id, named.id";

#[derive(FromRow)]
struct Row {
    id: i64,
    at: OffsetDateTime,
    actor_id: StaffId,
    actor_role: String,
    action: String,
    subject_id: String,
    decision: Option<Value>,
    assertion: Option<String>,
}

#[derive(FromRow)]
struct Pair {
    proposal_id: Option<Uuid>,
    kind: Option<String>,
    subject_id: Option<Uuid>,
    change: Option<Value>,
    before: Option<Value>,
    status: Option<String>,
    proposed_by: Option<Uuid>,
    row_id: Option<i64>,
    action: Option<String>,
    decision: Option<Value>,
    is_signed: Option<bool>,
    is_after: Option<bool>,
}

/// Two verdicts a database; without keys only the digests are compared.
pub(super) async fn verdicts(snapshots: &mut Snapshots, keys: Option<&TrustedKeys>) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    for database in Service::services() {
        let name = database.name();
        let offending = signatures(database, snapshots.of(database)?, keys).await?;
        verdicts.push(Verdict::new(
            "D-B3",
            format!("{name}: every decision is signed by the person who took it"),
            offending,
        ));
        let offending = proposals(snapshots.of(database)?).await?;
        let promise = format!("{name}: every proposal is what the decision about it signs, and the other way round");
        verdicts.push(Verdict::new("D-B3 D-O6", promise, offending));
    }
    Ok(verdicts)
}

/// Rows whose signature does not verify, is of something or somebody else, or is missing.
async fn signatures(
    database: Service,
    connection: &mut PgConnection,
    keys: Option<&TrustedKeys>,
) -> Result<Vec<String>> {
    let mut offending: Vec<String> = sqlx::query_scalar(REPEATED).fetch_all(&mut *connection).await?;
    let mut rows = sqlx::query_as::<_, Row>(DECISIONS).fetch(connection);
    while let Some(row) = rows.try_next().await? {
        if let Err(wrong) = row.check(database, keys) {
            offending.push(format!("row {}: {} {} {wrong}", row.id, row.action, row.subject_id));
        }
    }
    Ok(offending)
}

/// Decided proposals that are not what was signed, and signed decisions without their proposal.
async fn proposals(connection: &mut PgConnection) -> Result<Vec<String>> {
    let mut offending = Vec::new();
    let mut pairs = sqlx::query_as::<_, Pair>(PROPOSALS).fetch(connection);
    while let Some(pair) = pairs.try_next().await? {
        if let Some(wrong) = pair.wrong() {
            offending.push(wrong);
        }
    }
    Ok(offending)
}

// === impl Row ===

impl Row {
    fn check(&self, database: Service, keys: Option<&TrustedKeys>) -> Result<(), &'static str> {
        let assertion = self.assertion.as_deref().ok_or("has no signature")?;
        let decided = self.decision.clone().and_then(|decision| serde_json::from_value::<Decided>(decision).ok());
        let decided = decided.ok_or("does not say what was decided")?;
        if decided.action != self.action || decided.subject_id != self.subject_id {
            return Err("is signed for another act");
        }
        let Some(keys) = keys else { return Ok(()) };
        let signed = Assertion::verify(assertion, keys).ok_or("is not signed by auth")?;
        if signed.digest != to_hex(&decided.digest()) {
            return Err("is another decision than the signed one");
        }
        if signed.passkey.is_some_and(|passkey| !passkeys::is_signed(&passkey, &decided.digest())) {
            return Err("is not what the person's passkey signed");
        }
        if signed.sub != self.actor_id || signed.role.as_str() != self.actor_role {
            return Err("is signed for another person or role");
        }
        if signed.service != database.name() {
            return Err("is signed for another service");
        }
        let permission = decided.permission.parse().ok().filter(|one: &Permission| one.roles().contains(&signed.role));
        if permission.is_none_or(|one| !one.needs_fresh_factor()) {
            return Err("is signed for a role that may not do it");
        }
        if (self.at.unix_timestamp() - signed.iat).abs() > SKEW_SECONDS {
            return Err("is signed at another time");
        }
        if signed.factor_at.is_some_and(|at| signed.iat - at > FACTOR_SECONDS) {
            return Err("is signed without a fresh second factor");
        }
        Ok(())
    }
}

// === impl Pair ===

impl Pair {
    fn wrong(&self) -> Option<String> {
        let row = self.row_id.unwrap_or_default();
        let (Some(id), Some(kind), Some(change)) = (self.proposal_id, &self.kind, &self.change) else {
            return Some(format!("row {row} decides a proposal that is not there or not decided so"));
        };
        let status = self.status.as_deref().unwrap_or_default();
        if self.row_id.is_none() {
            return Some(format!("proposal {id} is {status} without a row of the audit log"));
        }
        if self.is_signed != Some(true) {
            let named = format!("proposal {id} is {status} by row {row} without a signature");
            return Some(named).filter(|_| self.is_after != Some(false));
        }
        let verb = if status == "confirmed" { "confirm" } else { "reject" };
        let fact = |name: &str| self.decision.as_ref().and_then(|decision| decision["facts"][name].as_str());
        let is_so = self.action.as_deref() == Some(&format!("{kind}.{verb}"))
            && fact("change") == Some(&proposal::digest(kind, change, self.before.as_ref()))
            && fact("proposedBy") == self.proposed_by.map(|by| by.to_string()).as_deref()
            // What a proposal makes is named afterwards.
            && fact("subjectId").is_none_or(|subject| self.subject_id.is_some_and(|id| id.to_string() == subject));
        (!is_so).then(|| format!("proposal {id} is another than row {row} decides"))
    }
}
