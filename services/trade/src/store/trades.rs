//! The table `trades`.

mod due;

use chassis::db::PgConnection;
use chassis::error::Refusal;
use chassis::id::{MemberId, PlanId, TradeId};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::facts::Outcomes;
use crate::domain::plan::Terms;
use crate::domain::trade::{Settlement, Status, Trade};
use crate::error::Error;

pub use self::due::{is_behind, put_off, stuck, take_due, take_matured, wait_for_cash, waiting};

struct Row {
    id: TradeId,
    user_id: MemberId,
    plan_id: PlanId,
    plan_title: String,
    roi_basis_points: i32,
    duration_days: i32,
    plan_version: Option<i32>,
    min_holding_days: i32,
    exit_fee_basis_points: i32,
    amount_cents: i64,
    opening_value_micros: i64,
    value_in_force_micros: i64,
    seen_at: OffsetDateTime,
    status: String,
    settle_kind: Option<String>,
    settle_value_cents: Option<i64>,
    settle_fee_cents: i64,
    created_at: OffsetDateTime,
    matures_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
    cash_short_since: Option<OffsetDateTime>,
}

impl TryFrom<Row> for Trade {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let settlement = match (row.settle_kind.as_deref(), row.settle_value_cents) {
            (Some(kind), Some(cents)) => {
                let fee = Cents::new(row.settle_fee_cents);
                Some(Settlement {
                    ending: kind.parse().map_err(|_| unknown("ending", kind))?,
                    value: Cents::new(cents),
                    fee,
                })
            }
            _ => None,
        };
        Ok(Self {
            id: row.id,
            user_id: row.user_id,
            plan_id: row.plan_id,
            plan_title: row.plan_title,
            roi_basis_points: row.roi_basis_points,
            duration_days: row.duration_days,
            plan_version: row.plan_version,
            min_holding_days: row.min_holding_days,
            exit_fee_basis_points: row.exit_fee_basis_points,
            amount: Cents::new(row.amount_cents),
            opening_value_micros: row.opening_value_micros,
            value_in_force_micros: row.value_in_force_micros,
            seen_at: row.seen_at,
            status: row.status.parse().map_err(|_| unknown("status", &row.status))?,
            settlement,
            created_at: row.created_at,
            matures_at: row.matures_at,
            ended_at: row.ended_at,
            cash_short_since: row.cash_short_since,
        })
    }
}

/// A text that this build does not know is never taken for another: money depends on it.
fn unknown(what: &str, name: &str) -> Error {
    Error::Database(sqlx::Error::Decode(format!("unknown {what} of a trade: {name}").into()))
}

/// Selects trades with the plan's value in force at `$now`, or at their maturity.
macro_rules! trades {
    ($now:expr, $clause:literal $(, $value:expr)*) => {
        sqlx::query_as!(
            Row,
            r#"SELECT t.id, t.user_id, t.plan_id, t.plan_title, t.roi_basis_points, t.duration_days, t.plan_version,
                  t.min_holding_days, t.exit_fee_basis_points, t.amount_cents, t.opening_value_micros,
                  coalesce(v.value_micros, t.opening_value_micros) AS "value_in_force_micros!",
                  $1::timestamptz AS "seen_at!", t.status, t.settle_kind, t.settle_value_cents, t.settle_fee_cents, t.created_at, t.matures_at, t.ended_at,
                  t.cash_short_since
               FROM trades t LEFT JOIN LATERAL (
                   SELECT value_micros FROM plan_values WHERE plan_id = t.plan_id AND at <= least($1, t.matures_at)
                   ORDER BY at DESC LIMIT 1) v ON true "#
                + $clause,
            $now
            $(, $value)*
        )
    };
}
use trades;

/// Writes a trade that is being opened; until `resume_at` it is left to who opens it.
pub async fn insert(
    conn: &mut PgConnection,
    trade: &Trade,
    terms: &Terms,
    resume_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO trades (id, user_id, plan_id, plan_title, plan_min_cents, plan_max_cents, roi_basis_points,
                             duration_days, plan_version, min_holding_days, exit_fee_basis_points, amount_cents,
                             opening_value_micros, status, created_at, matures_at, resume_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'opening', $14, $15, $16)",
        trade.id.get(),
        trade.user_id.get(),
        trade.plan_id.get(),
        trade.plan_title,
        terms.min.get(),
        terms.max.get(),
        trade.roi_basis_points,
        trade.duration_days,
        trade.plan_version,
        trade.min_holding_days,
        trade.exit_fee_basis_points,
        trade.amount.get(),
        trade.opening_value_micros,
        trade.created_at,
        trade.matures_at,
        resume_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A trade with the plan's value in force at `now`, or at its maturity.
pub async fn get(conn: &mut PgConnection, id: TradeId, now: OffsetDateTime) -> Result<Option<Trade>, Error> {
    let row = trades!(now, "WHERE t.id = $2", id.get()).fetch_optional(conn).await?;
    row.map(Trade::try_from).transpose()
}

/// A member's trade, locked until the end of the transaction.
pub async fn lock(
    conn: &mut PgConnection,
    id: TradeId,
    user_id: MemberId,
    now: OffsetDateTime,
) -> Result<Option<Trade>, Error> {
    let locked =
        sqlx::query!("SELECT id FROM trades WHERE id = $1 AND user_id = $2 FOR UPDATE", id.get(), user_id.get())
            .fetch_optional(&mut *conn)
            .await?;
    if locked.is_some() { get(conn, id, now).await } else { Ok(None) }
}

/// A member's trades in one of these states, newest first, at most 500.
pub async fn list(
    conn: &mut PgConnection,
    user_id: MemberId,
    statuses: &[Status],
    now: OffsetDateTime,
) -> Result<Vec<Trade>, Error> {
    let statuses: Vec<String> = statuses.iter().map(|status| status.into_str().to_owned()).collect();
    let rows = trades!(
        now,
        "WHERE t.user_id = $2 AND t.status = ANY ($3) ORDER BY t.created_at DESC, t.id DESC LIMIT 500",
        user_id.get(),
        &statuses
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Trade::try_from).collect()
}

/// The newest moment by whose value the money of a trade of this plan is decided already: the opening or, once it is past,
/// the maturity of one that has not ended.
pub async fn newest_valued(
    conn: &mut PgConnection,
    plan_id: PlanId,
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT greatest(
             (SELECT max(created_at) FROM trades WHERE plan_id = $1 AND status IN ('opening', 'open')),
             (SELECT max(matures_at) FROM trades
              WHERE plan_id = $1 AND status IN ('opening', 'open') AND matures_at <= $2))",
        plan_id.get(),
        now,
    )
    .fetch_one(conn)
    .await?)
}

/// Marks a trade open that was being opened; `false` if somebody else was faster.
pub async fn opened(conn: &mut PgConnection, id: TradeId) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE trades SET status = 'open', resume_at = NULL WHERE id = $1 AND status = 'opening'",
        id.get()
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Marks a trade failed that was being opened; `false` if somebody else was faster.
pub async fn failed(conn: &mut PgConnection, id: TradeId, refusal: &Refusal) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE trades SET status = 'failed', refusal = $2, resume_at = NULL WHERE id = $1 AND status = 'opening'",
        id.get(),
        serde_json::to_value(refusal)?,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What wallet said to a trade that failed.
pub async fn refusal(conn: &mut PgConnection, id: TradeId) -> Result<Option<Refusal>, Error> {
    let stored = sqlx::query_scalar!("SELECT refusal FROM trades WHERE id = $1", id.get()).fetch_optional(conn).await?;
    Ok(stored.flatten().map(serde_json::from_value).transpose()?)
}

/// Decides the end of a locked, open trade.
pub async fn settling(
    conn: &mut PgConnection,
    id: TradeId,
    settlement: Settlement,
    resume_at: OffsetDateTime,
) -> Result<(), Error> {
    let kind = settlement.ending.into_str();
    sqlx::query!(
        "UPDATE trades SET status = 'settling', settle_kind = $2, settle_value_cents = $3, settle_fee_cents = $4,
                           resume_at = $5
         WHERE id = $1",
        id.get(),
        kind,
        settlement.value.get(),
        settlement.fee.get(),
        resume_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a trade that is paid; `false` if somebody else was faster.
pub async fn ended(conn: &mut PgConnection, id: TradeId, status: Status, at: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE trades SET status = $2, ended_at = $3, resume_at = NULL WHERE id = $1 AND status = 'settling'",
        id.get(),
        status.into_str(),
        at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What the members of a plan gain in total, at a value from now on: of each open trade what it is worth above its amount, at
/// its maturity if that is past, and of each trade that is being paid out what was decided. A loss pays no other's gain.
pub async fn gains_at(
    conn: &mut PgConnection,
    plan_id: PlanId,
    value_micros: i64,
    now: OffsetDateTime,
) -> Result<Cents, Error> {
    let gains = sqlx::query_scalar!(
        r#"SELECT (
               SELECT coalesce(sum(greatest(0, floor(t.amount_cents::numeric * coalesce(v.value_micros, $2)
                   / t.opening_value_micros) - t.amount_cents)), 0)
               FROM trades t LEFT JOIN LATERAL (
                   SELECT value_micros FROM plan_values WHERE plan_id = t.plan_id AND at <= t.matures_at
                   ORDER BY at DESC LIMIT 1) v ON t.matures_at <= $3
               WHERE t.plan_id = $1 AND t.status IN ('opening', 'open')
           )::bigint + (
               SELECT coalesce(sum(greatest(0, settle_value_cents - amount_cents)), 0) FROM trades
               WHERE plan_id = $1 AND status = 'settling' AND resume_at IS NOT NULL
           )::bigint AS "cents!""#,
        plan_id.get(),
        value_micros,
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(Cents::new(gains))
}

/// How the newest ended trades of a plan ended, at most `limit`.
pub async fn outcomes(conn: &mut PgConnection, plan_id: PlanId, limit: i64) -> Result<Outcomes, Error> {
    Ok(sqlx::query_as!(
        Outcomes,
        r#"SELECT count(*) AS "ended!", count(*) FILTER (WHERE settle_value_cents < amount_cents) AS "at_loss!"
           FROM (SELECT settle_value_cents, amount_cents FROM trades
                 WHERE plan_id = $1 AND status IN ('claimed', 'closed') ORDER BY ended_at DESC LIMIT $2) AS newest"#,
        plan_id.get(),
        limit,
    )
    .fetch_one(conn)
    .await?)
}
