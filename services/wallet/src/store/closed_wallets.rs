//! Wallets of closed accounts.

use chassis::db::PgConnection;
use chassis::id::MemberId;
use chassis::money::Cents;
use time::OffsetDateTime;

pub async fn is_closed(conn: &mut PgConnection, user_id: MemberId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM closed_wallets WHERE user_id = $1) AS "closed!""#, user_id.get())
        .fetch_one(conn)
        .await
}

/// Closes a wallet, whose bonus is given up; one that is closed stays so.
pub async fn insert(
    conn: &mut PgConnection,
    user_id: MemberId,
    bonus: Cents,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO closed_wallets (user_id, closed_at, bonus_cents) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        user_id.get(),
        at,
        bonus.get()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What is open in a wallet beside its balances.
pub struct Open {
    /// A deposit, or a payment for the course or of a fee, is in review.
    pub payment: bool,
    /// A trade is funded and has not been settled.
    pub trade: bool,
    /// Staff proposed a correction or a reversal.
    pub review: bool,
}

pub async fn open_matters(conn: &mut PgConnection, user_id: MemberId) -> Result<Open, sqlx::Error> {
    sqlx::query_as!(
        Open,
        r#"SELECT
            EXISTS (SELECT FROM transactions
                WHERE user_id = $1 AND status = 'pending' AND kind <> 'withdrawal') AS "payment!",
            EXISTS (SELECT FROM trade_fundings WHERE user_id = $1 AND status = 'funded') AS "trade!",
            EXISTS (SELECT FROM proposals WHERE subject_id = $1 AND status = 'open'
                AND proposed_at > clock_timestamp() - interval '7 days') AS "review!""#,
        user_id.get()
    )
    .fetch_one(conn)
    .await
}
