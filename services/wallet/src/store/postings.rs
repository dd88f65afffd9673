//! The journal: postings in the order in which their database transactions completed. In the order of ids, a late
//! commit would be missed.

use chassis::db::PgConnection;
use chassis::id::{MemberId, TransactionId};
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::cursor::JournalCursor;
use crate::domain::posting_kind::PostingKind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalPosting {
    pub place: JournalCursor,
    pub kind: String,
    pub cause_type: String,
    pub cause_id: Uuid,
    /// The posting that it reverses.
    pub reverses: Option<i64>,
    pub user_id: MemberId,
    pub at: OffsetDateTime,
    /// Kinds of accounts and what they gained; those that are not the house's are the member's.
    pub entries: Vec<(String, Cents)>,
}

struct Row {
    xid: String,
    id: i64,
    kind: String,
    cause_type: String,
    cause_id: Uuid,
    reverses: Option<i64>,
    user_id: MemberId,
    at: OffsetDateTime,
    accounts: Vec<String>,
    amounts: Vec<i64>,
}

impl TryFrom<Row> for JournalPosting {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<Self, sqlx::Error> {
        Ok(Self {
            place: place(&row.xid, row.id)?,
            kind: row.kind,
            cause_type: row.cause_type,
            cause_id: row.cause_id,
            reverses: row.reverses,
            user_id: row.user_id,
            at: row.at,
            entries: row.accounts.into_iter().zip(row.amounts.into_iter().map(Cents::new)).collect(),
        })
    }
}

fn place(xid: &str, id: i64) -> Result<JournalCursor, sqlx::Error> {
    let xid = xid.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(JournalCursor { xid, id })
}

/// Whether a transaction of the database has begun already: of a journal that was restored, places may be ahead.
pub async fn has_begun(conn: &mut PgConnection, xid: u64) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT $1::text::xid8 < pg_snapshot_xmax(pg_current_snapshot()) AS "begun!""#,
        xid.to_string()
    )
    .fetch_one(conn)
    .await
}

/// The last of the next complete postings behind a place, at most this many; `None` if there are none yet.
pub async fn end_of_run(
    conn: &mut PgConnection,
    after: JournalCursor,
    most: i64,
) -> Result<Option<JournalCursor>, sqlx::Error> {
    let last = sqlx::query!(
        r#"SELECT xid::text AS "xid!", id AS "id!" FROM (
            SELECT xid, id FROM postings
            WHERE (xid, id) > ($1::text::xid8, $2) AND xid < pg_snapshot_xmin(pg_current_snapshot())
            ORDER BY xid, id LIMIT $3) AS run
        ORDER BY run.xid DESC, run.id DESC LIMIT 1"#,
        after.xid.to_string(),
        after.id,
        most
    )
    .fetch_optional(conn)
    .await?;
    last.map(|last| place(&last.xid, last.id)).transpose()
}

/// The postings behind a place and up to another, which are complete, at most this many.
pub async fn between(
    conn: &mut PgConnection,
    after: JournalCursor,
    until: JournalCursor,
    limit: i64,
) -> Result<Vec<JournalPosting>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"WITH taken AS MATERIALIZED (
                SELECT xid, id, kind, cause_type, business_id, reverses, user_id, created_at FROM postings
                WHERE (xid, id) > ($1::text::xid8, $2) AND (xid, id) <= ($3::text::xid8, $4)
                ORDER BY xid, id LIMIT $5)
            SELECT taken.xid::text AS "xid!", taken.id, taken.kind, coalesce(taken.cause_type, '') AS "cause_type!",
                taken.business_id AS cause_id, taken.reverses, taken.user_id, taken.created_at AS at, moved.accounts AS "accounts!",
                moved.amounts AS "amounts!"
            FROM taken JOIN (
                SELECT posting_id, array_agg((SELECT kind FROM accounts WHERE id = account_id) ORDER BY account_id)
                    AS accounts, array_agg(amount_cents ORDER BY account_id) AS amounts
                FROM entries
                WHERE posting_id BETWEEN (SELECT min(id) FROM taken) AND (SELECT max(id) FROM taken)
                GROUP BY posting_id) AS moved ON moved.posting_id = taken.id
            ORDER BY taken.xid, taken.id"#,
        after.xid.to_string(),
        after.id,
        until.xid.to_string(),
        until.id,
        limit
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(JournalPosting::try_from).collect()
}

/// What a line added to a member's balance or paid, and what took it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversible {
    pub id: i64,
    pub kind: String,
    pub amount: Cents,
    /// The line of its reversal or refund.
    pub reversed_by: Option<TransactionId>,
}

impl Reversible {
    /// Whether it paid for the course, and so can be refunded.
    #[must_use]
    pub fn is_course(&self) -> bool {
        self.kind == PostingKind::Course.into_str()
    }
}

/// The posting of a line, if it is of a kind that may be reversed.
pub async fn reversible(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
) -> Result<Option<Reversible>, sqlx::Error> {
    sqlx::query_as!(
        Reversible,
        r#"SELECT posted.id, posted.kind, reversal.transaction_id AS "reversed_by?: _",
            (SELECT sum(amount_cents) FROM entries WHERE posting_id = posted.id AND amount_cents > 0)::bigint AS "amount!: Cents"
        FROM transactions JOIN postings AS posted ON posted.transaction_id = transactions.id
        LEFT JOIN postings AS reversal ON reversal.reverses = posted.id
        WHERE transactions.id = $1
            AND posted.kind IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit', 'adjustment_credit', 'release')"#,
        transaction_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// The line that paid for the course that a member has.
pub async fn course_of(conn: &mut PgConnection, user_id: MemberId) -> Result<Option<TransactionId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT business_id AS "id!: _" FROM paid_courses WHERE user_id = $1 ORDER BY id DESC LIMIT 1"#,
        user_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// The posting of a line that paid for the course.
pub async fn of_course(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
) -> Result<Option<Reversible>, sqlx::Error> {
    sqlx::query_as!(
        Reversible,
        r#"SELECT posted.id, posted.kind, reversal.transaction_id AS "reversed_by?: _",
            (SELECT sum(amount_cents) FROM entries WHERE posting_id = posted.id AND amount_cents > 0)::bigint AS "amount!: Cents"
        FROM postings AS posted JOIN transactions ON transactions.id = posted.business_id
        LEFT JOIN postings AS reversal ON reversal.reverses = posted.id
        WHERE posted.kind = 'course' AND posted.business_id = $1"#,
        transaction_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// The payment from outside that made a posting, once everything that it made is taken back; `None` while something is not, and
/// for postings of other causes.
pub async fn undone_payment(conn: &mut PgConnection, posting_id: i64) -> Result<Option<TransactionId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT cause.business_id AS "id: _" FROM postings AS cause
        WHERE cause.id = $1 AND cause.kind IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit')
            AND (SELECT count(*) FROM postings AS posted
                WHERE posted.business_id = cause.business_id AND posted.kind IN ('deposit', 'course', 'fee', 'fee_credit', 'course_credit')
                    AND (SELECT count(*) FROM postings AS reversal WHERE reversal.reverses = posted.id) = 0) = 0"#,
        posting_id
    )
    .fetch_optional(conn)
    .await
}
