//! Balances.

use chassis::money::Cents;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::wallet::Wallet;

/// What a member has, in one look; `None` before their accounts are made.
///
/// # Errors
/// The database's.
pub async fn wallet(conn: &mut PgConnection, user_id: Uuid) -> Result<Option<Wallet>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "accounts!",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'available'), 0)::bigint AS "available!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'held'), 0)::bigint AS "held!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'bonus'), 0)::bigint AS "bonus!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'invested'), 0)::bigint AS "invested!: Cents",
            EXISTS (SELECT FROM transactions WHERE user_id = $1 AND kind = 'withdrawal' AND status = 'pending')
                AS "is_withdrawal_pending!",
            EXISTS (SELECT FROM postings WHERE user_id = $1 AND kind = 'course') AS "has_purchased_course!",
            EXISTS (SELECT FROM transactions WHERE user_id = $1 AND kind = 'course' AND status = 'pending')
                AS "is_course_payment_pending!"
        FROM accounts WHERE user_id = $1"#,
        user_id
    )
    .fetch_one(conn)
    .await?;
    Ok((row.accounts > 0).then_some(Wallet {
        user_id,
        available: row.available,
        held: row.held,
        bonus: row.bonus,
        invested: row.invested,
        is_withdrawal_pending: row.is_withdrawal_pending,
        has_purchased_course: row.has_purchased_course,
        is_course_payment_pending: row.is_course_payment_pending,
    }))
}

/// The sums of the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Books {
    /// What members may spend.
    pub available: Cents,
    /// What is held for withdrawals.
    pub held: Cents,
    /// What is in trades.
    pub invested: Cents,
    /// Promotional bonuses.
    pub bonus: Cents,
    /// What the platform holds.
    pub holdings: Cents,
    /// The investment pool.
    pub pool: Cents,
}

/// The sums of the books, in one snapshot.
///
/// # Errors
/// The database's.
pub async fn books(conn: &mut PgConnection) -> Result<Books, sqlx::Error> {
    sqlx::query_as!(
        Books,
        r#"SELECT coalesce(sum(balance_cents) FILTER (WHERE kind = 'available'), 0)::bigint AS "available!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'held'), 0)::bigint AS "held!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'invested'), 0)::bigint AS "invested!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'bonus'), 0)::bigint AS "bonus!: Cents",
            coalesce(-sum(balance_cents) FILTER (WHERE kind = 'settlement'), 0)::bigint AS "holdings!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'investment_pool'), 0)::bigint AS "pool!: Cents"
        FROM accounts"#
    )
    .fetch_one(conn)
    .await
}

/// What is wrong with the books; all zero when they are right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// Sum of all entries.
    pub trial_balance: Cents,
    /// Sum of the absolute differences between stored balances and their entries.
    pub drift: Cents,
    /// Accounts whose head is not the hash of their newest entry.
    pub broken_heads: i64,
    /// Members who hold something else than their open withdrawal.
    pub wrong_holds: i64,
    /// Members who have something else invested than their open trades.
    pub wrong_investments: i64,
}

/// What is wrong with the books, in one snapshot. It reads every entry.
///
/// # Errors
/// The database's.
pub async fn faults(conn: &mut PgConnection) -> Result<Faults, sqlx::Error> {
    sqlx::query_as!(
        Faults,
        r#"WITH computed AS (
            SELECT account_id, sum(amount_cents) AS cents FROM entries GROUP BY account_id
        ), compared AS (
            SELECT balance_cents, coalesce(cents, 0) AS cents FROM accounts LEFT JOIN computed ON account_id = accounts.id
        ), heads AS (
            SELECT accounts.balance_cents, accounts.head_hash, newest.hash, newest.balance_after_cents,
                sha256(coalesce(previous.hash, '') || int8send(accounts.id) || int8send(newest.posting_id)
                    || int8send(newest.amount_cents) || int8send(newest.balance_after_cents)) AS expected
            FROM accounts
            LEFT JOIN LATERAL (SELECT posting_id, amount_cents, balance_after_cents, hash FROM entries WHERE account_id = accounts.id
                ORDER BY posting_id DESC LIMIT 1) AS newest ON true
            LEFT JOIN LATERAL (SELECT hash FROM entries WHERE account_id = accounts.id
                AND entries.posting_id < newest.posting_id ORDER BY posting_id DESC LIMIT 1) AS previous ON true
        ), wanted AS (
            SELECT user_id, 'held' AS kind, sum(amount_cents) AS cents FROM transactions
            WHERE kind = 'withdrawal' AND status = 'pending' GROUP BY user_id
            UNION ALL
            SELECT user_id, 'invested', sum(amount_cents) FROM trade_fundings WHERE status = 'funded' GROUP BY user_id
        ), wrong AS (
            SELECT kind FROM (SELECT user_id, kind, balance_cents FROM accounts WHERE kind IN ('held', 'invested'))
                AS stored FULL JOIN wanted USING (user_id, kind)
            WHERE coalesce(balance_cents, 0) <> coalesce(cents, 0)
        )
        SELECT (SELECT coalesce(sum(cents), 0)::bigint FROM compared) AS "trial_balance!: Cents",
            (SELECT coalesce(sum(abs(balance_cents - cents)), 0)::bigint FROM compared) AS "drift!: Cents",
            (SELECT count(*) FROM heads WHERE CASE WHEN hash IS NULL THEN head_hash <> '' ELSE
                head_hash <> hash OR hash <> expected OR balance_after_cents <> balance_cents END) AS "broken_heads!",
            (SELECT count(*) FROM wrong WHERE kind = 'held') AS "wrong_holds!",
            (SELECT count(*) FROM wrong WHERE kind = 'invested') AS "wrong_investments!""#
    )
    .fetch_one(conn)
    .await
}
