//! The money side of trades.

use chassis::money::Cents;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Under which terms a trade was funded, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradeFunding {
    /// The trade.
    pub trade_id: Uuid,
    /// Whose.
    pub user_id: Uuid,
    /// What was invested.
    pub amount: Cents,
    /// `funded`, `refused` or `settled`.
    pub status: String,
    /// What was paid out.
    pub value: Option<Cents>,
}

/// The funding of a trade, locked until the transaction ends.
///
/// # Errors
/// The database's.
pub async fn lock(conn: &mut PgConnection, trade_id: Uuid) -> Result<Option<TradeFunding>, sqlx::Error> {
    sqlx::query_as!(
        TradeFunding,
        r#"SELECT trade_id, user_id, amount_cents AS "amount: Cents", status, value_cents AS "value: Cents"
        FROM trade_fundings WHERE trade_id = $1 FOR UPDATE"#,
        trade_id
    )
    .fetch_optional(conn)
    .await
}

/// The funding of a trade.
///
/// # Errors
/// The database's.
pub async fn find(conn: &mut PgConnection, trade_id: Uuid) -> Result<Option<TradeFunding>, sqlx::Error> {
    sqlx::query_as!(
        TradeFunding,
        r#"SELECT trade_id, user_id, amount_cents AS "amount: Cents", status, value_cents AS "value: Cents"
        FROM trade_fundings WHERE trade_id = $1"#,
        trade_id
    )
    .fetch_optional(conn)
    .await
}

/// Notes that a trade was refused for want of balance.
///
/// # Errors
/// The database's.
pub async fn insert(conn: &mut PgConnection, funding: &TradeFunding, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at) VALUES ($1, $2, $3, $4, $5)",
        funding.trade_id,
        funding.user_id,
        funding.amount.get(),
        funding.status,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
