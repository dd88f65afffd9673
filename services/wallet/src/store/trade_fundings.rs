//! The money side of trades.

use chassis::db::PgConnection;
use chassis::id::{MemberId, TradeId};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::trade_funding::FundingStatus;

/// Under which terms a trade was funded, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradeFunding {
    pub trade_id: TradeId,
    pub user_id: MemberId,
    pub amount: Cents,
    pub status: FundingStatus,
    pub value: Option<Cents>,
}

pub async fn find(conn: &mut PgConnection, trade_id: TradeId) -> Result<Option<TradeFunding>, sqlx::Error> {
    sqlx::query_as!(
        TradeFunding,
        r#"SELECT trade_id, user_id, amount_cents AS "amount: _", status AS "status: _", value_cents AS "value: _"
        FROM trade_fundings WHERE trade_id = $1"#,
        trade_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// A trade that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradeResult {
    pub trade_id: TradeId,
    /// From the description of its opening.
    pub plan_title: String,
    pub amount: Cents,
    /// What it paid.
    pub paid: Cents,
    pub opened_at: OffsetDateTime,
    pub ended_at: OffsetDateTime,
}

/// The trades of a member that ended in a period, by what they were invested in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanResult {
    pub plan_title: String,
    pub trades: i64,
    pub invested: Cents,
    pub paid: Cents,
    pub gains: Cents,
    /// Positive.
    pub losses: Cents,
}

/// The trades of a member that were paid out in `[from, to)`: oldest first, the newest of them up to a limit.
pub async fn ended(
    conn: &mut PgConnection,
    user_id: MemberId,
    (from, to): (OffsetDateTime, OffsetDateTime),
    limit: i64,
) -> Result<Vec<TradeResult>, sqlx::Error> {
    let mut rows = sqlx::query_as!(
        TradeResult,
        r#"SELECT trade_id, coalesce(opening.plan_title, '') AS "plan_title!", amount_cents AS "amount: Cents",
            value_cents AS "paid!: Cents", created_at AS opened_at, ended.at AS "ended_at!"
        FROM trade_fundings CROSS JOIN LATERAL (
            SELECT max(created_at) AS at FROM postings
            WHERE kind IN ('trade_settle', 'trade_gain', 'trade_loss') AND business_id = trade_id
        ) AS ended LEFT JOIN LATERAL (
            SELECT substr(description, length('Invested in ') + 1) AS plan_title FROM transactions
            WHERE related_id = trade_id AND kind = 'trade' AND direction = 'debit' LIMIT 1
        ) AS opening ON true
        WHERE user_id = $1 AND status = 'settled' AND ended.at >= $2 AND ended.at < $3
        ORDER BY ended.at DESC, trade_id DESC LIMIT $4"#,
        user_id.get(),
        from,
        to,
        limit
    )
    .fetch_all(conn)
    .await?;
    rows.reverse();
    Ok(rows)
}

/// The sums of all of them.
pub async fn ended_by_plan(
    conn: &mut PgConnection,
    user_id: MemberId,
    (from, to): (OffsetDateTime, OffsetDateTime),
) -> Result<Vec<PlanResult>, sqlx::Error> {
    sqlx::query_as!(
        PlanResult,
        r#"SELECT coalesce(opening.plan_title, '') AS "plan_title!", count(*) AS "trades!",
            sum(amount_cents)::bigint AS "invested!: Cents", sum(value_cents)::bigint AS "paid!: Cents",
            sum(greatest(value_cents - amount_cents, 0))::bigint AS "gains!: Cents",
            sum(greatest(amount_cents - value_cents, 0))::bigint AS "losses!: Cents"
        FROM trade_fundings CROSS JOIN LATERAL (
            SELECT max(created_at) AS at FROM postings
            WHERE kind IN ('trade_settle', 'trade_gain', 'trade_loss') AND business_id = trade_id
        ) AS ended LEFT JOIN LATERAL (
            SELECT substr(description, length('Invested in ') + 1) AS plan_title FROM transactions
            WHERE related_id = trade_id AND kind = 'trade' AND direction = 'debit' LIMIT 1
        ) AS opening ON true
        WHERE user_id = $1 AND status = 'settled' AND ended.at >= $2 AND ended.at < $3
        GROUP BY 1 ORDER BY 1"#,
        user_id.get(),
        from,
        to
    )
    .fetch_all(conn)
    .await
}
