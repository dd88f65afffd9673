//! The trail of what staff did: written in the transaction of the effect, append-only, each row chained to the one
//! before by SHA-256, so that a changed, missing or inserted row shows.

use proto::common::v1::AuditRow as Message;
/// A row of the trail as staff are shown it.
pub use proto::common::v1::AuditRow;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::{FromRow, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::caller::Staff;
use crate::clock;

/// What is written of one act.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    /// Who.
    pub staff: &'a Staff,
    /// What, e.g. `deposit.approve`.
    pub action: &'a str,
    /// To which thing.
    pub subject_id: String,
    /// The member concerned.
    pub member_id: Option<Uuid>,
    /// The state before.
    pub before: Option<Value>,
    /// The state after.
    pub after: Option<Value>,
    /// From which client address.
    pub address: &'a str,
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    at: OffsetDateTime,
    actor_id: Uuid,
    actor_role: String,
    action: String,
    subject_id: String,
    member_id: Option<Uuid>,
    before: Option<Value>,
    after: Option<Value>,
    address: String,
    hash: Vec<u8>,
}

impl Row {
    /// SHA-256 over the hash before and this row's content, unambiguously separated.
    fn chained(&self, previous: &[u8]) -> Vec<u8> {
        let content = serde_json::json!([
            self.id,
            // Microseconds: what the database keeps.
            (self.at.unix_timestamp_nanos() / 1_000).to_string(),
            self.actor_id,
            self.actor_role,
            self.action,
            self.subject_id,
            self.member_id,
            self.before,
            self.after,
            self.address,
        ]);
        let mut hasher = Sha256::new();
        hasher.update(previous);
        hasher.update(content.to_string());
        hasher.finalize().to_vec()
    }
}

/// Appends one act. Staff act rarely, so that one chain a database, and one writer at a time, is enough.
///
/// # Errors
/// The database's.
pub async fn append(conn: &mut PgConnection, act: Act<'_>) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtext('audit_rows'))").execute(&mut *conn).await?;
    let last: Option<(i64, Vec<u8>)> =
        sqlx::query_as("SELECT id, hash FROM audit_rows ORDER BY id DESC LIMIT 1").fetch_optional(&mut *conn).await?;
    let (last_id, previous) = last.unwrap_or_default();
    let at: OffsetDateTime = sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&mut *conn).await?;
    let mut row = Row {
        id: last_id + 1,
        at,
        actor_id: act.staff.user_id,
        actor_role: act.staff.role.as_str().to_owned(),
        action: act.action.to_owned(),
        subject_id: act.subject_id,
        member_id: act.member_id,
        before: act.before,
        after: act.after,
        address: act.address.to_owned(),
        hash: Vec::new(),
    };
    row.hash = row.chained(&previous);
    sqlx::query(
        "INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, member_id, before, after, address, hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(row.id)
    .bind(row.at)
    .bind(row.actor_id)
    .bind(row.actor_role)
    .bind(row.action)
    .bind(row.subject_id)
    .bind(row.member_id)
    .bind(row.before)
    .bind(row.after)
    .bind(row.address)
    .bind(row.hash)
    .execute(conn)
    .await?;
    Ok(())
}

/// Rows before a cursor (an id), newest first.
///
/// # Errors
/// The database's.
pub async fn list(conn: &mut PgConnection, before: Option<i64>, limit: i64) -> Result<Vec<Message>, sqlx::Error> {
    let rows: Vec<Row> =
        sqlx::query_as("SELECT * FROM audit_rows WHERE ($1::bigint IS NULL OR id < $1) ORDER BY id DESC LIMIT $2")
            .bind(before)
            .bind(limit)
            .fetch_all(conn)
            .await?;
    Ok(rows.into_iter().map(Message::from).collect())
}

/// The id of the first row that breaks the chain; `None` if it holds.
///
/// # Errors
/// The database's.
pub async fn broken_at(conn: &mut PgConnection) -> Result<Option<i64>, sqlx::Error> {
    let rows: Vec<Row> = sqlx::query_as("SELECT * FROM audit_rows ORDER BY id").fetch_all(conn).await?;
    let mut previous = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if i64::try_from(index).is_ok_and(|index| row.id != index + 1) || row.chained(&previous) != row.hash {
            return Ok(Some(row.id));
        }
        previous.clone_from(&row.hash);
    }
    Ok(None)
}

impl From<Row> for Message {
    fn from(row: Row) -> Self {
        let text = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
        Self {
            id: row.id,
            at: Some(clock::to_proto(row.at)),
            actor_id: row.actor_id.to_string(),
            actor_role: row.actor_role,
            action: row.action,
            subject_id: row.subject_id,
            member_id: row.member_id.map(|id| id.to_string()).unwrap_or_default(),
            before_json: text(row.before),
            after_json: text(row.after),
            address: row.address,
            hash: row.hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}
