//! Balances of members and the platform.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::MemberId;
use chassis::money::Cents;

use crate::domain::wallet::Wallet;
use crate::store::holds;

/// What a member has, in one look; `None` before their accounts are made.
pub async fn wallet(conn: &mut PgConnection, user_id: MemberId) -> Result<Option<Wallet>, sqlx::Error> {
    let Some(mut wallet) = wallets(conn, &[user_id]).await?.pop() else { return Ok(None) };
    if wallet.on_hold != Cents::ZERO {
        wallet.holds = holds::of_member(conn, user_id).await?;
    }
    Ok(Some(wallet))
}

/// What members have, without their holds; nothing for those whose accounts are not made yet.
pub async fn wallets(conn: &mut PgConnection, user_ids: &[MemberId]) -> Result<Vec<Wallet>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT user_id AS "user_id!",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'available'), 0)::bigint AS "available!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'held'), 0)::bigint AS "held!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'bonus'), 0)::bigint AS "bonus!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'invested'), 0)::bigint AS "invested!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'on_hold'), 0)::bigint AS "on_hold!: Cents",
            coalesce(-sum(balance_cents) FILTER (WHERE kind = 'owed'), 0)::bigint AS "owed!: Cents",
            EXISTS (SELECT FROM open_withdrawals w WHERE w.user_id = a.user_id) AS "is_withdrawal_pending!",
            EXISTS (SELECT FROM paid_courses c WHERE c.user_id = a.user_id) AS "has_purchased_course!",
            EXISTS (SELECT FROM pending_courses c WHERE c.user_id = a.user_id) AS "is_course_payment_pending!"
        FROM accounts a WHERE user_id = ANY($1) GROUP BY user_id"#,
        user_ids as _
    )
    .fetch_all(conn)
    .await?;
    let wallets = rows.into_iter().map(|row| Wallet {
        user_id: row.user_id.into(),
        available: row.available,
        held: row.held,
        bonus: row.bonus,
        invested: row.invested,
        on_hold: row.on_hold,
        owed: row.owed,
        holds: Vec::new(),
        is_withdrawal_pending: row.is_withdrawal_pending,
        has_purchased_course: row.has_purchased_course,
        is_course_payment_pending: row.is_course_payment_pending,
    });
    Ok(wallets.collect())
}

pub async fn owed(conn: &mut PgConnection, user_id: MemberId) -> Result<Cents, sqlx::Error> {
    let owed = sqlx::query_scalar!(
        r#"SELECT -balance_cents AS "owed!: Cents" FROM accounts WHERE user_id = $1 AND kind = 'owed'"#,
        user_id.get()
    )
    .fetch_optional(conn)
    .await?;
    Ok(owed.unwrap_or_default())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Books {
    /// What members may spend.
    pub available: Cents,
    /// What is held for withdrawals.
    pub held: Cents,
    /// What is in trades.
    pub invested: Cents,
    pub bonus: Cents,
    /// Kept back by staff.
    pub on_hold: Cents,
    /// What members owe.
    pub owed: Cents,
    /// What the platform holds.
    pub holdings: Cents,
    /// The investment pool.
    pub pool: Cents,
    /// Of all accounts; zero when right.
    pub trial_balance: Cents,
}

/// The sums of the books of all members, those of each bucket in one snapshot.
pub async fn books(conn: &mut PgConnection) -> Result<Books, sqlx::Error> {
    let each = across!(conn, books_here(conn));
    let sum = |part: fn(&Books) -> Cents| Cents::new(each.iter().map(|here| part(here).get()).sum());
    Ok(Books {
        available: sum(|here| here.available),
        held: sum(|here| here.held),
        invested: sum(|here| here.invested),
        bonus: sum(|here| here.bonus),
        on_hold: sum(|here| here.on_hold),
        owed: sum(|here| here.owed),
        holdings: sum(|here| here.holdings),
        pool: sum(|here| here.pool),
        trial_balance: sum(|here| here.trial_balance),
    })
}

async fn books_here(conn: &mut PgConnection) -> Result<Books, sqlx::Error> {
    sqlx::query_as!(
        Books,
        r#"SELECT coalesce(sum(balance_cents) FILTER (WHERE kind = 'available'), 0)::bigint AS "available!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'held'), 0)::bigint AS "held!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'invested'), 0)::bigint AS "invested!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'bonus'), 0)::bigint AS "bonus!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'on_hold'), 0)::bigint AS "on_hold!: Cents",
            coalesce(-sum(balance_cents) FILTER (WHERE kind = 'owed'), 0)::bigint AS "owed!: Cents",
            coalesce(-sum(balance_cents) FILTER (WHERE kind = 'settlement'), 0)::bigint AS "holdings!: Cents",
            coalesce(sum(balance_cents) FILTER (WHERE kind = 'investment_pool'), 0)::bigint AS "pool!: Cents",
            coalesce(sum(balance_cents), 0)::bigint AS "trial_balance!: Cents"
        FROM accounts"#
    )
    .fetch_one(conn)
    .await
}
