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
use time::{Duration, OffsetDateTime};
use tonic::{Request, Response};

use crate::clock;
use crate::db::{Db, PgConnection};
use crate::decision::Signed;
use crate::error::{Refusal, to_status};
use crate::grpc::Reply;
use crate::hex::to_hex;
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
        // Rows without a signature are hashed without these two fields.
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

/// The rows that a condition selects.
macro_rules! rows {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"SELECT id, at, actor_id, actor_role, action, subject_id, member_id AS "member_id: _", before, after, address,
                decision, assertion, hash
            FROM audit_rows "# + $clause
            $(, $value)*
        )
    };
}

/// A page of the rows that match, newest first, and the cursor of the next page.
pub async fn list(conn: &mut PgConnection, filter: &Filter, page: &Page<i64>) -> Result<Listed<Message>, sqlx::Error> {
    let window = window(conn, filter, page).await?;
    let rows = if let Some(member_id) = filter.member_id {
        of_member(conn, member_id, filter, window).await?
    } else if let Some(actor_id) = filter.actor_id {
        of_actor(conn, actor_id, filter, window).await?
    } else if filter.action.is_empty() {
        of_all(conn, filter, window).await?
    } else {
        of_action(conn, filter, window).await?
    };
    Ok(page.cut(rows.into_iter().map(Message::from).collect(), |row| row.id))
}

/// The ids that rows of a page can have, the last one excluded, and how many rows are read.
struct Window {
    first: i64,
    end: i64,
    limit: i64,
}

/// By how much the clock may have been set back between two rows.
const SET_BACK: Duration = Duration::HOUR;

/// The ids of the filter's period: they rise with the time, but for a clock that was set back.
async fn window(conn: &mut PgConnection, filter: &Filter, page: &Page<i64>) -> Result<Window, sqlx::Error> {
    let first = match filter.since {
        None => 0,
        Some(since) => sqlx::query_scalar!(
            "SELECT id FROM audit_rows WHERE at >= $1 ORDER BY at, id LIMIT 1",
            since.saturating_sub(SET_BACK)
        )
        .fetch_optional(&mut *conn)
        .await?
        .unwrap_or(i64::MAX),
    };
    let end = match filter.until {
        None => i64::MAX,
        Some(until) => sqlx::query_scalar!(
            "SELECT id FROM audit_rows WHERE at < $1 ORDER BY at DESC, id DESC LIMIT 1",
            until.saturating_add(SET_BACK)
        )
        .fetch_optional(&mut *conn)
        .await?
        .map_or(0, |last| last.saturating_add(1)),
    };
    Ok(Window { first, end: page.after.map_or(end, |after| after.min(end)), limit: page.limit() })
}

async fn of_all(conn: &mut PgConnection, filter: &Filter, window: Window) -> Result<Vec<Row>, sqlx::Error> {
    rows!(
        "WHERE id >= $1 AND id < $2 AND ($3::timestamptz IS NULL OR at >= $3) AND ($4::timestamptz IS NULL OR at < $4)
         ORDER BY id DESC LIMIT $5",
        window.first,
        window.end,
        filter.since,
        filter.until,
        window.limit
    )
    .fetch_all(conn)
    .await
}

/// There are few about each member.
async fn of_member(
    conn: &mut PgConnection,
    member_id: MemberId,
    filter: &Filter,
    window: Window,
) -> Result<Vec<Row>, sqlx::Error> {
    rows!(
        "WHERE member_id = $6 AND id >= $1 AND id < $2
            AND ($3::timestamptz IS NULL OR at >= $3) AND ($4::timestamptz IS NULL OR at < $4)
            AND ($7::uuid IS NULL OR actor_id = $7) AND starts_with(action, $8)
         ORDER BY id DESC LIMIT $5",
        window.first,
        window.end,
        filter.since,
        filter.until,
        window.limit,
        member_id.get(),
        filter.actor_id as _,
        filter.action
    )
    .fetch_all(conn)
    .await
}

/// Goes from one name of an action to the next, and takes the newest rows of each: neither a rare action nor a frequent one makes it
/// read many rows. Action and id are compared as one: with two conditions, the planner may expect as many rows of each action, and read
/// all from the newest on.
async fn of_action(conn: &mut PgConnection, filter: &Filter, window: Window) -> Result<Vec<Row>, sqlx::Error> {
    rows!(
        r#"WHERE id = ANY (ARRAY(
            WITH RECURSIVE names AS (
                (SELECT action FROM audit_rows WHERE action COLLATE "C" >= $6 ORDER BY action COLLATE "C" LIMIT 1)
                UNION ALL
                SELECT (SELECT later.action FROM audit_rows AS later WHERE later.action COLLATE "C" > names.action
                    ORDER BY later.action COLLATE "C" LIMIT 1)
                FROM names WHERE starts_with(names.action, $6))
            SELECT found.id FROM names CROSS JOIN LATERAL (
                SELECT one.id FROM audit_rows AS one WHERE (one.action COLLATE "C", one.id) >= (names.action, $1)
                    AND (one.action COLLATE "C", one.id) < (names.action, $2)
                    AND ($3::timestamptz IS NULL OR one.at >= $3) AND ($4::timestamptz IS NULL OR one.at < $4)
                ORDER BY one.action COLLATE "C" DESC, one.id DESC LIMIT $5) AS found
            WHERE starts_with(names.action, $6) ORDER BY found.id DESC LIMIT $5))
         ORDER BY id DESC"#,
        window.first,
        window.end,
        filter.since,
        filter.until,
        window.limit,
        filter.action
    )
    .fetch_all(conn)
    .await
}

/// The same among what one person did.
async fn of_actor(
    conn: &mut PgConnection,
    actor_id: StaffId,
    filter: &Filter,
    window: Window,
) -> Result<Vec<Row>, sqlx::Error> {
    rows!(
        r#"WHERE id = ANY (ARRAY(
            WITH RECURSIVE names AS (
                (SELECT action FROM audit_rows WHERE actor_id = $7 AND action COLLATE "C" >= $6
                    ORDER BY action COLLATE "C" LIMIT 1)
                UNION ALL
                SELECT (SELECT later.action FROM audit_rows AS later
                    WHERE later.actor_id = $7 AND later.action COLLATE "C" > names.action
                    ORDER BY later.action COLLATE "C" LIMIT 1)
                FROM names WHERE starts_with(names.action, $6))
            SELECT found.id FROM names CROSS JOIN LATERAL (
                SELECT one.id FROM audit_rows AS one WHERE one.actor_id = $7
                    AND (one.action COLLATE "C", one.id) >= (names.action, $1)
                    AND (one.action COLLATE "C", one.id) < (names.action, $2)
                    AND ($3::timestamptz IS NULL OR one.at >= $3) AND ($4::timestamptz IS NULL OR one.at < $4)
                ORDER BY one.action COLLATE "C" DESC, one.id DESC LIMIT $5) AS found
            WHERE starts_with(names.action, $6) ORDER BY found.id DESC LIMIT $5))
         ORDER BY id DESC"#,
        window.first,
        window.end,
        filter.since,
        filter.until,
        window.limit,
        filter.action,
        actor_id.get()
    )
    .fetch_all(conn)
    .await
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
            hash: to_hex(&row.hash),
        }
    }
}
