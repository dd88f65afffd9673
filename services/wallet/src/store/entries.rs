//! Entries of the ledger, to read.

use chassis::db::PgConnection;
use chassis::id::{MemberId, TransactionId};
use chassis::money::Cents;
use strum::VariantArray;
use time::{Date, Duration, OffsetDateTime};

use crate::domain::posting_kind::PostingKind;
use crate::domain::transaction::Transaction;

/// An entry, with what moved it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    pub posting_id: i64,
    /// The kind of its account, e.g. `available`, `on_hold` or `owed`.
    pub account: String,
    pub amount: Cents,
    /// What the account held afterwards.
    pub balance: Cents,
    pub kind: String,
    pub at: OffsetDateTime,
}

/// The newest entries of all of a member's accounts.
pub async fn newest(conn: &mut PgConnection, user_id: MemberId, limit: i64) -> Result<Vec<LedgerEntry>, sqlx::Error> {
    sqlx::query_as!(
        LedgerEntry,
        r#"SELECT entries.posting_id, accounts.kind AS account, entries.amount_cents AS "amount: Cents",
            entries.balance_after_cents AS "balance: Cents", postings.kind, postings.created_at AS at
        FROM accounts
        CROSS JOIN LATERAL (
            SELECT posting_id, amount_cents, balance_after_cents FROM entries
            WHERE account_id = accounts.id ORDER BY posting_id DESC LIMIT $2
        ) AS entries
        JOIN postings ON postings.id = entries.posting_id
        WHERE accounts.user_id = $1
        ORDER BY entries.posting_id DESC, accounts.id LIMIT $2"#,
        user_id.get(),
        limit
    )
    .fetch_all(conn)
    .await
}

/// What a transaction moved, oldest first: of the member and of the house.
pub async fn of_transaction(conn: &mut PgConnection, one: &Transaction) -> Result<Vec<LedgerEntry>, sqlx::Error> {
    let kinds: Vec<_> = PostingKind::VARIANTS.iter().map(|kind| kind.into_str().to_owned()).collect();
    // The cause of a posting is the line itself, what it is related to, a fee payment for that, or a proposal.
    let causes: Vec<_> = [Some(one.id.get()), one.related_id()].into_iter().flatten().collect();
    sqlx::query_as!(
        LedgerEntry,
        r#"WITH moved AS MATERIALIZED (
            SELECT id, kind, created_at FROM postings
            WHERE kind = ANY ($1) AND business_id = ANY ($2::uuid[] || ARRAY(
                    SELECT id FROM transactions WHERE related_id = ANY ($2) AND kind = 'fee')) AND (transaction_id = $3 OR business_id = $3)
            UNION SELECT id, kind, created_at FROM postings WHERE cause_type = 'proposal' AND transaction_id = $3
        ), touched AS MATERIALIZED (
            SELECT id, kind FROM accounts WHERE user_id = $4 UNION ALL SELECT id, kind FROM accounts WHERE user_id IS NULL
        )
        SELECT moved.id AS "posting_id!", touched.kind AS "account!", entries.amount_cents AS "amount!: Cents",
            entries.balance_after_cents AS "balance!: Cents", moved.kind AS "kind!", moved.created_at AS "at!"
        FROM moved CROSS JOIN touched CROSS JOIN LATERAL (
            SELECT amount_cents, balance_after_cents FROM entries WHERE account_id = touched.id AND posting_id = moved.id
        ) AS entries
        ORDER BY moved.id, touched.id"#,
        &kinds,
        &causes,
        one.id.get(),
        one.user_id.get()
    )
    .fetch_all(conn)
    .await
}

/// Whether nothing can be posted at or before a moment any more: a posting is dated while its accounts are locked, and is seen
/// when its transaction ends.
pub async fn is_over(conn: &mut PgConnection, at: OffsetDateTime) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT NOT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity AS writer USING (pid)
            WHERE relation = 'accounts'::regclass AND mode IN ('RowShareLock', 'RowExclusiveLock') AND granted
                AND writer.datid = database AND datname = current_database() AND xact_start <= $1) AS "over!""#,
        at
    )
    .fetch_one(conn)
    .await
}

/// What each of a member's accounts held at a moment, by its kind.
pub async fn balances_at(
    conn: &mut PgConnection,
    user_id: MemberId,
    at: OffsetDateTime,
) -> Result<Vec<(String, Cents)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT kind, balance_after(id, last_posting_until(id, $2)) AS "balance!: Cents"
        FROM accounts WHERE user_id = $1 ORDER BY id"#,
        user_id.get(),
        at
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.kind, row.balance)).collect())
}

/// What an account gained or lost on a day in UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayChange {
    pub day: Date,
    pub account: String,
    pub amount: Cents,
}

/// What each of a member's accounts held before a moment, by its kind, and how it changed on each day since.
pub async fn by_day(
    conn: &mut PgConnection,
    user_id: MemberId,
    from: OffsetDateTime,
) -> Result<(Vec<(String, Cents)>, Vec<DayChange>), sqlx::Error> {
    let opening = balances_at(conn, user_id, from - Duration::MICROSECOND).await?;
    let changes = sqlx::query_as!(
        DayChange,
        r#"SELECT (postings.created_at AT TIME ZONE 'UTC')::date AS "day!", own.kind AS "account!",
            sum(entries.amount_cents)::bigint AS "amount!: Cents"
        FROM (SELECT id, kind, last_posting_until(id, $2) AS known FROM accounts WHERE user_id = $1 OFFSET 0) AS own
        JOIN entries ON entries.account_id = own.id AND entries.posting_id > own.known
        JOIN postings ON postings.id = entries.posting_id
        GROUP BY 1, 2"#,
        user_id.get(),
        from - Duration::MICROSECOND
    )
    .fetch_all(conn)
    .await?;
    Ok((opening, changes))
}

/// A period of a member's free balance, less what they owe: its entries lie between two postings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// The accounts: what is free, and what is owed once there was such a thing.
    pub account_ids: Vec<i64>,
    /// The last posting before the period; 0 for none.
    pub after: i64,
    /// The last posting of the period.
    pub until: i64,
    /// What was free before it.
    pub opening: Cents,
    /// What was free after it.
    pub closing: Cents,
}

/// The period `[from, to)` of a member's free balance, up to this posting at most; `None` before they had accounts.
pub async fn period(
    conn: &mut PgConnection,
    user_id: MemberId,
    (from, to): (OffsetDateTime, OffsetDateTime),
    most: i64,
) -> Result<Option<Period>, sqlx::Error> {
    let before = |at: OffsetDateTime| at - Duration::MICROSECOND;
    sqlx::query_as!(
        Period,
        r#"SELECT account_ids AS "account_ids!", after AS "after!", until AS "until!",
            (SELECT sum(balance_after(id, after)) FROM unnest(account_ids) AS id)::bigint AS "opening!: Cents",
            (SELECT sum(balance_after(id, until)) FROM unnest(account_ids) AS id)::bigint AS "closing!: Cents"
        FROM (
            SELECT array_agg(id) AS account_ids, max(last_posting_until(id, $2)) AS after,
                least(max(last_posting_until(id, $3)), $4) AS until
            FROM accounts WHERE user_id = $1 AND kind IN ('available', 'owed') HAVING count(*) > 0
        ) AS period"#,
        user_id.get(),
        before(from),
        before(to),
        most
    )
    .fetch_optional(conn)
    .await
}

/// A movement of a member's free balance; what they owe counts as a balance below zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    pub posting_id: i64,
    pub at: OffsetDateTime,
    pub posting_kind: String,
    /// What the line of the history is, if there is one.
    pub transaction_kind: Option<String>,
    pub transaction_id: Option<TransactionId>,
    pub amount: Cents,
    /// What was free afterwards.
    pub balance: Cents,
    /// Of the line, as the following.
    pub description: Option<String>,
    pub fee: Option<Cents>,
    /// What was paid on a chain: the quote of a payment that brought its amount, or the price of a payout.
    pub asset: Option<String>,
    pub decimals: Option<i16>,
    /// In the smallest unit.
    pub units: Option<String>,
    pub rate_micros: Option<i64>,
    pub network: Option<String>,
    pub txid: Option<String>,
}

/// The movements of a member's free balance after one posting and up to another, oldest first. Nobody has a free balance
/// while they owe something: what a posting leaves of the two is the balance after it.
pub async fn movements(
    conn: &mut PgConnection,
    account_ids: &[i64],
    after: i64,
    until: i64,
    limit: i64,
) -> Result<Vec<Movement>, sqlx::Error> {
    sqlx::query_as!(
        Movement,
        r#"SELECT moved.posting_id AS "posting_id!", postings.created_at AS at, postings.kind AS posting_kind,
            transactions.kind AS "transaction_kind?", postings.transaction_id AS "transaction_id: _",
            moved.amount AS "amount!: Cents", moved.balance AS "balance!: Cents", transactions.description AS "description?",
            CASE WHEN line.is_paid AND NOT fee_paid THEN fee_cents END AS "fee?: Cents",
            CASE WHEN line.is_payout THEN currency WHEN line.is_quoted THEN asset END AS asset,
            CASE WHEN line.is_payout THEN payout_decimals WHEN line.is_quoted THEN asset_decimals END AS decimals,
            CASE WHEN line.is_payout THEN payout_units WHEN line.is_quoted THEN transactions.units END::text AS units,
            CASE WHEN line.is_payout THEN payout_rate_micros WHEN line.is_quoted THEN transactions.rate_micros END AS rate_micros,
            CASE WHEN line.is_paid THEN transactions.network END AS network,
            CASE WHEN line.is_paid THEN transactions.txid END AS txid
        FROM (
            SELECT posting_id, sum(amount_cents)::bigint AS amount, sum(balance_after_cents)::bigint AS balance
            FROM unnest($1::bigint[]) AS ids (account_id) CROSS JOIN LATERAL (
                SELECT posting_id, amount_cents, balance_after_cents FROM entries
                WHERE entries.account_id = ids.account_id AND posting_id > $2 AND posting_id <= $3
                ORDER BY posting_id LIMIT $4
            ) AS entries
            GROUP BY posting_id ORDER BY posting_id LIMIT $4
        ) AS moved
        JOIN postings ON postings.id = moved.posting_id
        LEFT JOIN transactions ON transactions.id = postings.transaction_id
        CROSS JOIN LATERAL (
            SELECT transactions.status <> 'failed' AND postings.kind IN ('deposit', 'withdrawal_hold') AS is_paid,
                transactions.status <> 'failed' AND postings.kind = 'withdrawal_hold' AS is_payout,
                postings.kind = 'deposit' AND claimed_amount_cents IS NULL AS is_quoted
        ) AS line
        ORDER BY moved.posting_id"#,
        account_ids,
        after,
        until,
        limit
    )
    .fetch_all(conn)
    .await
}

/// Movements of a period with the same kind of posting and line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovementSum {
    pub posting_kind: String,
    pub transaction_kind: Option<String>,
    pub into: Cents,
    /// Positive.
    pub out: Cents,
    pub count: i64,
}

/// The sums of the same movements, for any number of them.
pub async fn movement_sums(conn: &mut PgConnection, period: &Period) -> Result<Vec<MovementSum>, sqlx::Error> {
    sqlx::query_as!(
        MovementSum,
        r#"SELECT postings.kind AS posting_kind, transactions.kind AS "transaction_kind?",
            coalesce(sum(moved.amount) FILTER (WHERE moved.amount > 0), 0)::bigint AS "into!: Cents",
            coalesce(-sum(moved.amount) FILTER (WHERE moved.amount < 0), 0)::bigint AS "out!: Cents", count(*) AS "count!"
        FROM (
            SELECT posting_id, sum(amount_cents)::bigint AS amount
            FROM unnest($1::bigint[]) AS ids (account_id) CROSS JOIN LATERAL (
                SELECT posting_id, amount_cents FROM entries
                WHERE entries.account_id = ids.account_id AND posting_id > $2 AND posting_id <= $3
            ) AS entries
            GROUP BY posting_id
        ) AS moved
        JOIN postings ON postings.id = moved.posting_id
        LEFT JOIN transactions ON transactions.id = postings.transaction_id
        GROUP BY postings.kind, transactions.kind ORDER BY postings.kind, transactions.kind"#,
        &period.account_ids,
        period.after,
        period.until
    )
    .fetch_all(conn)
    .await
}
