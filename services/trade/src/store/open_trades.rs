//! What the open trades of plans cost and are worth.

use chassis::db::PgConnection;
use chassis::id::{PlanId, TradeId};
use chassis::money::Cents;
use time::OffsetDateTime;

/// All open trades of a plan.
#[derive(Debug, Clone)]
pub struct OpenTrades {
    pub plan_id: PlanId,
    pub title: String,
    pub cost: Cents,
    pub value: Cents,
    /// The moment of the plan's newest value.
    pub value_at: Option<OffsetDateTime>,
}

/// Of every plan at its values of now, or at the maturity of each trade. Trades that are being paid count as decided.
pub async fn of_all_plans(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<OpenTrades>, sqlx::Error> {
    sqlx::query_as!(
        OpenTrades,
        r#"SELECT plans.id AS plan_id, plans.title, coalesce(sum(cost), 0)::bigint AS "cost!: Cents",
            coalesce(sum(value), 0)::bigint AS "value!: Cents", (SELECT at FROM plan_values WHERE plan_id = plans.id
                AND at <= $1 ORDER BY at DESC LIMIT 1) AS value_at
        FROM plans LEFT JOIN LATERAL (
            SELECT amount_cents AS cost, CASE WHEN status = 'opening' THEN amount_cents ELSE floor(amount_cents::numeric
                * coalesce((SELECT value_micros FROM plan_values WHERE plan_id = trades.plan_id
                    AND at <= least($1, matures_at) ORDER BY at DESC LIMIT 1), opening_value_micros)
                / opening_value_micros) END AS value
            FROM trades WHERE plan_id = plans.id AND status IN ('opening', 'open')
            UNION ALL
            SELECT amount_cents, settle_value_cents FROM trades
            WHERE plan_id = plans.id AND status = 'settling' AND cash_short_since IS NOT NULL
        ) AS live ON true
        GROUP BY plans.id"#,
        now
    )
    .fetch_all(conn)
    .await
}

/// Of a plan, if a value came into force at a moment.
pub async fn at_value(
    conn: &mut PgConnection,
    plan_id: PlanId,
    micros: i64,
    at: OffsetDateTime,
) -> Result<(Cents, Cents), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(cost), 0)::bigint AS "cost!: Cents", coalesce(sum(value), 0)::bigint AS "value!: Cents"
        FROM (
            SELECT amount_cents AS cost, floor(amount_cents::numeric * CASE WHEN matures_at >= $3 THEN $2 ELSE
                coalesce((SELECT value_micros FROM plan_values WHERE plan_id = $1 AND at <= matures_at
                    ORDER BY at DESC LIMIT 1), opening_value_micros) END / opening_value_micros) AS value
            FROM trades WHERE plan_id = $1 AND status IN ('opening', 'open')
            UNION ALL
            SELECT amount_cents, settle_value_cents FROM trades
            WHERE plan_id = $1 AND status = 'settling' AND cash_short_since IS NOT NULL
        ) AS live"#,
        plan_id.get(),
        micros,
        at
    )
    .fetch_one(conn)
    .await?;
    Ok((row.cost, row.value))
}

/// What live trades of a plan are worth above what they cost, by id after one; zero or less for those that did not gain.
pub async fn gains_of(
    conn: &mut PgConnection,
    plan_id: PlanId,
    now: OffsetDateTime,
    after: TradeId,
    limit: i64,
) -> Result<Vec<(TradeId, Cents)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT id, (coalesce(settle_value_cents, floor(amount_cents::numeric
                * coalesce((SELECT value_micros FROM plan_values WHERE plan_id = $1
                    AND at <= least($2, matures_at) ORDER BY at DESC LIMIT 1), opening_value_micros)
                / opening_value_micros)) - amount_cents)::bigint AS "gain!: Cents"
        FROM trades WHERE plan_id = $1 AND status IN ('opening', 'open', 'settling') AND id > $3 ORDER BY id LIMIT $4"#,
        plan_id.get(),
        now,
        after.get(),
        limit
    );
    Ok(rows.fetch_all(conn).await?.into_iter().map(|row| (row.id.into(), row.gain)).collect())
}
