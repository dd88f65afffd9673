//! Entries of the ledger, to read.

use chassis::db::PgConnection;
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

/// An entry of one of a member's accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberEntry {
    /// Its posting.
    pub posting_id: i64,
    /// `available`, `held`, `bonus` or `invested`.
    pub account: String,
    /// Signed.
    pub amount: Cents,
    /// What the account held afterwards.
    pub balance: Cents,
    /// What moved it.
    pub kind: String,
    /// When.
    pub at: OffsetDateTime,
}

/// The newest entries of all of a member's accounts.
///
/// # Errors
/// The database's.
pub async fn newest(conn: &mut PgConnection, user_id: Uuid, limit: i64) -> Result<Vec<MemberEntry>, sqlx::Error> {
    sqlx::query_as!(
        MemberEntry,
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
        user_id,
        limit
    )
    .fetch_all(conn)
    .await
}

/// A movement of a member's free balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// When.
    pub at: OffsetDateTime,
    /// What moved it.
    pub posting_kind: String,
    /// What the line of the history is, if there is one.
    pub transaction_kind: Option<String>,
    /// Its id.
    pub transaction_id: Option<Uuid>,
    /// Signed.
    pub amount: Cents,
    /// What was free afterwards.
    pub balance: Cents,
}

/// The movements of a member's free balance in `[from, to)`, oldest first.
///
/// # Errors
/// The database's.
pub async fn movements(
    conn: &mut PgConnection,
    user_id: Uuid,
    from: OffsetDateTime,
    to: OffsetDateTime,
) -> Result<Vec<Movement>, sqlx::Error> {
    sqlx::query_as!(
        Movement,
        r#"SELECT postings.created_at AS at, postings.kind AS posting_kind, transactions.kind AS "transaction_kind?",
            postings.transaction_id, entries.amount_cents AS "amount: Cents",
            entries.balance_after_cents AS "balance: Cents"
        FROM accounts
        JOIN entries ON entries.account_id = accounts.id
        JOIN postings ON postings.id = entries.posting_id
        LEFT JOIN transactions ON transactions.id = postings.transaction_id
        WHERE accounts.user_id = $1 AND accounts.kind = 'available'
            AND postings.created_at >= $2 AND postings.created_at < $3
        ORDER BY entries.posting_id"#,
        user_id,
        from,
        to
    )
    .fetch_all(conn)
    .await
}

/// What a member had free before this moment.
///
/// # Errors
/// The database's.
pub async fn balance_before(conn: &mut PgConnection, user_id: Uuid, at: OffsetDateTime) -> Result<Cents, sqlx::Error> {
    let balance = sqlx::query_scalar!(
        r#"SELECT entries.balance_after_cents AS "balance: Cents"
        FROM accounts
        JOIN entries ON entries.account_id = accounts.id
        JOIN postings ON postings.id = entries.posting_id
        WHERE accounts.user_id = $1 AND accounts.kind = 'available' AND postings.created_at < $2
        ORDER BY entries.posting_id DESC LIMIT 1"#,
        user_id,
        at
    )
    .fetch_optional(conn)
    .await?;
    Ok(balance.unwrap_or_default())
}
