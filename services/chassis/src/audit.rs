//! The audit log of staff actions: written in the transaction of the effect, append-only, each row chained to the
//! previous one by SHA-256, so that changed, missing or inserted rows are detected.

use std::str::FromStr;

use futures::TryStreamExt;
/// A row of the log as staff are shown it.
pub use proto::common::v1::AuditRow;
use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::{AuditFilter, AuditRow as Message, ListAuditRowsRequest, ListAuditRowsResponse};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use tonic::{Request, Response};

use crate::clock;
use crate::db::{Db, PgConnection};
use crate::decision::Signed;
use crate::error::{Refusal, to_status};
use crate::grpc::Reply;
use crate::id::{MemberId, StaffId};
use crate::identity::{Staff, Verifier};
use crate::page::{self, Listed, Page};
use crate::permission::Permission;
use crate::validate;

/// The role in rows that no person wrote.
const SYSTEM: &str = "system";

/// What is written of one act.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    /// The person who acts.
    pub staff: &'a Staff,
    /// What they do, e.g. `deposit.approve`.
    pub action: &'a str,
    /// Id of the thing acted on.
    pub subject_id: String,
    /// The member concerned.
    pub member_id: Option<MemberId>,
    /// The state before.
    pub before: Option<Value>,
    /// The state after.
    pub after: Option<Value>,
    /// From which client address.
    pub address: &'a str,
}

#[derive(Debug)]
struct Row {
    id: i64,
    at: OffsetDateTime,
    actor_id: StaffId,
    actor_role: String,
    action: String,
    subject_id: String,
    member_id: Option<MemberId>,
    before: Option<Value>,
    after: Option<Value>,
    address: String,
    decision: Option<Value>,
    assertion: Option<String>,
    hash: Vec<u8>,
}

impl Row {
    /// An act, without a place in the chain.
    fn of(act: Act<'_>) -> Self {
        Self {
            id: 0,
            at: OffsetDateTime::UNIX_EPOCH,
            actor_id: act.staff.id,
            actor_role: act.staff.role.as_str().to_owned(),
            action: act.action.to_owned(),
            subject_id: act.subject_id,
            member_id: act.member_id,
            before: act.before,
            after: act.after,
            address: act.address.to_owned(),
            decision: None,
            assertion: None,
            hash: Vec::new(),
        }
    }

    /// SHA-256 over the hash before and this row's content, unambiguously separated.
    fn chained(&self, previous: &[u8]) -> Vec<u8> {
        let mut content = serde_json::json!([
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
        // Rows of before decisions were signed have the form of then.
        if let (Value::Array(content), Some(assertion)) = (&mut content, &self.assertion) {
            content.extend([serde_json::json!(self.decision), serde_json::json!(assertion)]);
        }
        let mut hasher = Sha256::new();
        hasher.update(previous);
        hasher.update(content.to_string());
        hasher.finalize().to_vec()
    }
}

/// Appends one act. Staff act rarely, so that one chain a database, and one writer at a time, is enough.
pub async fn append(conn: &mut PgConnection, act: Act<'_>) -> Result<(), sqlx::Error> {
    write(conn, Row::of(act)).await
}

/// Appends a decision with what auth signed of it.
pub async fn append_signed(conn: &mut PgConnection, act: Act<'_>, signed: &Signed) -> Result<(), sqlx::Error> {
    let decision = serde_json::to_value(&signed.decided).map_err(|error| sqlx::Error::Encode(error.into()))?;
    write(conn, Row { decision: Some(decision), assertion: Some(signed.assertion.clone()), ..Row::of(act) }).await
}

/// Appends what the service did by itself, in the name of nobody.
pub async fn append_own(conn: &mut PgConnection, action: &str, subject: &str, after: Value) -> Result<(), sqlx::Error> {
    let row = Row {
        id: 0,
        at: OffsetDateTime::UNIX_EPOCH,
        actor_id: StaffId::default(),
        actor_role: SYSTEM.to_owned(),
        action: action.to_owned(),
        subject_id: subject.to_owned(),
        member_id: None,
        before: None,
        after: Some(after),
        address: String::new(),
        decision: None,
        assertion: None,
        hash: Vec::new(),
    };
    write(conn, row).await
}

/// Gives the row its place in the chain.
async fn write(conn: &mut PgConnection, mut row: Row) -> Result<(), sqlx::Error> {
    // Of this table: another schema of the database has a chain of its own.
    sqlx::query!("SELECT FROM pg_advisory_xact_lock('audit_rows'::regclass::oid::bigint)").execute(&mut *conn).await?;
    let (last_id, previous) = newest(conn).await?.unwrap_or_default();
    row.id = last_id + 1;
    row.at = sqlx::query_scalar!(r#"SELECT clock_timestamp() AS "now!""#).fetch_one(&mut *conn).await?;
    row.hash = row.chained(&previous);
    sqlx::query!(
        "INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, member_id, before, after, address, hash,
            decision, assertion)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        row.id,
        row.at,
        row.actor_id.get(),
        row.actor_role,
        row.action,
        row.subject_id,
        row.member_id as _,
        row.before,
        row.after,
        row.address,
        row.hash,
        row.decision,
        row.assertion
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Id and hash of the newest row, the end of the chain; `None` if there is no row.
pub async fn newest(conn: &mut PgConnection) -> Result<Option<(i64, Vec<u8>)>, sqlx::Error> {
    let row = sqlx::query!("SELECT id, hash FROM audit_rows ORDER BY id DESC LIMIT 1").fetch_optional(conn).await?;
    Ok(row.map(|row| (row.id, row.hash)))
}

/// Which rows are wanted; unset parts match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Account of the person who acted.
    pub actor_id: Option<StaffId>,
    /// The action, or the beginning of its name.
    pub action: String,
    /// The member concerned.
    pub member_id: Option<MemberId>,
    /// From this moment on.
    pub since: Option<OffsetDateTime>,
    /// Before this moment.
    pub until: Option<OffsetDateTime>,
}

impl TryFrom<Option<AuditFilter>> for Filter {
    type Error = Refusal;

    fn try_from(message: Option<AuditFilter>) -> Result<Self, Refusal> {
        fn id<T: FromStr>(field: &str, text: &str) -> Result<Option<T>, Refusal> {
            if text.is_empty() { Ok(None) } else { validate::id(field, text).map(Some) }
        }
        let message = message.unwrap_or_default();
        Ok(Self {
            actor_id: id("actor", &message.actor_id)?,
            action: message.action,
            member_id: id("member", &message.member_id)?,
            since: message.since.as_ref().and_then(clock::from_proto),
            until: message.until.as_ref().and_then(clock::from_proto),
        })
    }
}

/// A page of the rows that match, newest first, and the cursor of the next page.
pub async fn list(conn: &mut PgConnection, filter: &Filter, page: &Page<i64>) -> Result<Listed<Message>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id, at, actor_id, actor_role, action, subject_id, member_id AS "member_id: _", before, after, address, decision,
            assertion, hash
         FROM audit_rows
         WHERE ($1::bigint IS NULL OR id < $1) AND ($3::uuid IS NULL OR actor_id = $3) AND starts_with(action, $4)
            AND ($5::uuid IS NULL OR member_id = $5) AND ($6::timestamptz IS NULL OR at >= $6)
            AND ($7::timestamptz IS NULL OR at < $7)
         ORDER BY id DESC LIMIT $2"#,
        page.after,
        page.limit(),
        filter.actor_id as _,
        filter.action,
        filter.member_id as _,
        filter.since,
        filter.until
    )
    .fetch_all(conn)
    .await?;
    Ok(page.cut(rows.into_iter().map(Message::from).collect(), |row| row.id))
}

/// The audit log of a service, for staff.
#[derive(Clone)]
pub struct AuditLog {
    db: Db,
    verifier: Verifier,
}

impl AuditLog {
    /// Serves the rows of this database.
    #[must_use]
    pub fn new(db: Db, verifier: Verifier) -> Self {
        Self { db, verifier }
    }
}

#[tonic::async_trait]
impl AuditService for AuditLog {
    /// In pages of 100 unless they want another size.
    async fn list_audit_rows(&self, request: Request<ListAuditRowsRequest>) -> Reply<ListAuditRowsResponse> {
        self.verifier.staff(request.metadata(), Permission::SeeAudit).await?;
        let ListAuditRowsRequest { filter, page } = request.into_inner();
        let (filter, page) = (filter.try_into()?, Page::parse(page, page::OF_STAFF)?);
        let mut conn = self.db.conn().await.map_err(|error| to_status(&error))?;
        let (rows, next_cursor) = list(&mut conn, &filter, &page).await.map_err(|error| to_status(&error))?;
        Ok(Response::new(ListAuditRowsResponse { rows, next_cursor }))
    }
}

/// The id of the first row that breaks the chain; `None` if it holds.
pub async fn broken_at(conn: impl PgExecutor<'_>) -> Result<Option<i64>, sqlx::Error> {
    let mut rows = sqlx::query_as!(
        Row,
        r#"SELECT id, at, actor_id, actor_role, action, subject_id, member_id AS "member_id: _", before, after, address, decision,
            assertion, hash
         FROM audit_rows ORDER BY id"#
    )
    .fetch(conn);
    let (mut id, mut previous) = (0, Vec::new());
    while let Some(row) = rows.try_next().await? {
        if row.id != id + 1 || row.chained(&previous) != row.hash {
            return Ok(Some(row.id));
        }
        (id, previous) = (row.id, row.hash);
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
