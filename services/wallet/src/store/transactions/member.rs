//! Counts and sums of a member's transactions.

use chassis::db::PgConnection;
use chassis::id::{MemberId, TransactionId};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::transaction::Transaction;

/// Deposits and course payments of a member that wait for review.
pub async fn pending_deposits(conn: &mut PgConnection, user_id: MemberId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM transactions
        WHERE user_id = $1 AND kind IN ('deposit', 'course') AND status = 'pending'"#,
        user_id.get()
    )
    .fetch_one(conn)
    .await
}

/// Whether a fee payment for this withdrawal waits for review.
pub async fn has_pending_fee(conn: &mut PgConnection, withdrawal_id: TransactionId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM transactions WHERE related_id = $1 AND kind = 'fee' AND status = 'pending')
        AS "exists!""#,
        withdrawal_id.get()
    )
    .fetch_one(conn)
    .await
}

/// The sum of the other payments of a transaction's member in a period that are not refused.
pub async fn sum_payments(
    conn: &mut PgConnection,
    one: &Transaction,
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> Result<Cents, sqlx::Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT coalesce(sum(amount_cents), 0)::bigint AS "sum!" FROM transactions
         WHERE user_id = $1 AND id <> $2 AND kind IN ('deposit', 'course', 'fee') AND method_id IS NOT NULL
            AND status <> 'failed' AND created_at BETWEEN $3 AND $4"#,
        one.user_id.get(),
        one.id.get(),
        from,
        until,
    )
    .fetch_one(conn)
    .await?;
    Ok(Cents::new(sum))
}

/// What a member's payments and withdrawals came to so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// The first line of the history.
    pub since: Option<OffsetDateTime>,
    /// Confirmed payments and paid withdrawals.
    pub confirmed: i64,
    /// Without what the member took back or asked to end.
    pub rejected: i64,
    /// Rejections within a year, since which fewer than five deposits were confirmed.
    pub lately_rejected: i64,
}

/// What a member's payments and withdrawals came to so far.
pub async fn track(conn: &mut PgConnection, user_id: MemberId) -> Result<Track, sqlx::Error> {
    sqlx::query_as!(
        Track,
        r#"SELECT min(created_at) AS since,
            count(*) FILTER (WHERE status = 'success' AND kind IN ('deposit', 'course', 'fee', 'withdrawal')) AS "confirmed!",
            count(*) FILTER (WHERE status = 'failed' AND reason_code <> 'MEMBER_REQUEST') AS "rejected!",
            count(*) FILTER (WHERE status = 'failed' AND reason_code <> 'MEMBER_REQUEST'
                AND decided_at > now() - interval '1 year' AND decided_at > coalesce(
                (SELECT good.decided_at FROM transactions AS good
                 WHERE good.user_id = $1 AND good.kind = 'deposit' AND good.status = 'success'
                 ORDER BY good.decided_at DESC OFFSET 4 LIMIT 1), '-infinity')) AS "lately_rejected!"
        FROM transactions WHERE user_id = $1"#,
        user_id.get()
    )
    .fetch_one(conn)
    .await
}

/// What withdrawals that were paid in `[from, to)` cost a member: out of the payout, and apart from it.
pub async fn fees_paid(
    conn: &mut PgConnection,
    user_id: MemberId,
    (from, to): (OffsetDateTime, OffsetDateTime),
) -> Result<(Cents, Cents), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(amount_cents - net_amount_cents) FILTER (WHERE transactions.kind = 'withdrawal'), 0)::bigint
                AS "of_payouts!: Cents",
            coalesce(sum(amount_cents) FILTER (WHERE transactions.kind = 'fee'), 0)::bigint AS "separate!: Cents"
        FROM transactions JOIN postings ON business_id = transactions.id
            AND postings.kind = CASE transactions.kind WHEN 'withdrawal' THEN 'withdrawal_paid' ELSE 'fee' END
        WHERE transactions.user_id = $1 AND transactions.kind IN ('withdrawal', 'fee') AND status = 'success'
            AND transactions.created_at < $3 AND postings.created_at >= $2 AND postings.created_at < $3"#,
        user_id.get(),
        from,
        to
    )
    .fetch_one(conn)
    .await?;
    Ok((row.of_payouts, row.separate))
}
