//! Balances.

use chassis::db::PgConnection;
use chassis::money::Cents;
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
            has_pending($1, 'withdrawal') AS "is_withdrawal_pending!",
            owns_course($1) AS "has_purchased_course!",
            has_pending($1, 'course') AS "is_course_payment_pending!"
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
    /// Of all accounts; zero when right.
    pub trial_balance: Cents,
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
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'investment_pool'), 0)::bigint AS "pool!: Cents",
            coalesce(sum(balance_cents), 0)::bigint AS "trial_balance!: Cents"
        FROM accounts"#
    )
    .fetch_one(conn)
    .await
}
