//! The table `plans`.

use chassis::db::PgConnection;
use chassis::id::PlanId;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::disclosure::Disclosure;
use crate::domain::plan::{Plan, Terms};
use crate::domain::value::Value;
use crate::error::Error;

struct Row {
    id: PlanId,
    version: i32,
    title: String,
    subtitle: String,
    min_cents: i64,
    max_cents: i64,
    roi_basis_points: i32,
    duration_days: i32,
    active: bool,
    holdings: String,
    manager: String,
    costs: String,
    cost_basis_points: i32,
    risk_class: Option<i32>,
    document_url: String,
    min_holding_days: i32,
    exit_fee_basis_points: i32,
    value_micros: Option<i64>,
    value_at: Option<OffsetDateTime>,
    value_source: Option<String>,
}

impl From<Row> for Plan {
    fn from(row: Row) -> Self {
        let value = match (row.value_micros, row.value_at, row.value_source) {
            (Some(micros), Some(at), Some(source)) => Some(Value { micros, at, source }),
            _ => None,
        };
        Self {
            id: row.id,
            version: row.version,
            terms: Terms {
                title: row.title,
                subtitle: row.subtitle,
                min: Cents::new(row.min_cents),
                max: Cents::new(row.max_cents),
                roi_basis_points: row.roi_basis_points,
                duration_days: row.duration_days,
                active: row.active,
                disclosure: Disclosure {
                    holdings: row.holdings,
                    manager: row.manager,
                    costs: row.costs,
                    cost_basis_points: row.cost_basis_points,
                    risk_class: row.risk_class,
                    document_url: row.document_url,
                    min_holding_days: row.min_holding_days,
                    exit_fee_basis_points: row.exit_fee_basis_points,
                },
            },
            value,
        }
    }
}

/// Selects plans with their values in force at `$now`.
macro_rules! plans {
    ($now:expr, $clause:literal $(, $value:expr)*) => {
        sqlx::query_as!(
            Row,
            r#"SELECT p.id, p.version, p.title, p.subtitle, p.min_cents, p.max_cents, p.roi_basis_points, p.duration_days,
                  p.active, p.holdings, p.manager, p.costs, p.cost_basis_points, p.risk_class, p.document_url,
                  p.min_holding_days, p.exit_fee_basis_points, v.value_micros AS "value_micros?", v.at AS "value_at?", v.source AS "value_source?"
               FROM plans p LEFT JOIN LATERAL (
                   SELECT value_micros, at, source FROM plan_values WHERE plan_id = p.id AND at <= $1
                   ORDER BY at DESC LIMIT 1) v ON true "#
                + $clause,
            $now
            $(, $value)*
        )
    };
}

/// Every plan with its value in force, in the order they were made; members see the active ones.
pub async fn list(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<Plan>, Error> {
    let rows = plans!(now, "ORDER BY p.created_at, p.id").fetch_all(conn).await?;
    Ok(rows.into_iter().map(Plan::from).collect())
}

/// A plan with its value in force.
pub async fn get(conn: &mut PgConnection, id: PlanId, now: OffsetDateTime) -> Result<Option<Plan>, Error> {
    let row = plans!(now, "WHERE p.id = $2", id.get()).fetch_optional(conn).await?;
    Ok(row.map(Plan::from))
}

/// Makes changes of a plan and publications of its values wait for each other; `None` if there is no such plan.
pub async fn lock(conn: &mut PgConnection, id: PlanId, now: OffsetDateTime) -> Result<Option<Plan>, Error> {
    sqlx::query!("SELECT id FROM plans WHERE id = $1 FOR UPDATE", id.get()).fetch_optional(&mut *conn).await?;
    get(conn, id, now).await
}

pub async fn insert(conn: &mut PgConnection, id: PlanId, terms: &Terms, at: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO plans (id, version, title, subtitle, min_cents, max_cents, roi_basis_points, duration_days, active,
                            holdings, manager, costs, cost_basis_points, risk_class, document_url, min_holding_days,
                            exit_fee_basis_points, created_at)
         VALUES ($1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        id.get(),
        terms.title,
        terms.subtitle,
        terms.min.get(),
        terms.max.get(),
        terms.roi_basis_points,
        terms.duration_days,
        terms.active,
        terms.disclosure.holdings,
        terms.disclosure.manager,
        terms.disclosure.costs,
        terms.disclosure.cost_basis_points,
        terms.disclosure.risk_class,
        terms.disclosure.document_url,
        terms.disclosure.min_holding_days,
        terms.disclosure.exit_fee_basis_points,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives a locked plan other terms.
pub async fn change(conn: &mut PgConnection, id: PlanId, terms: &Terms) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE plans SET version = version + 1, title = $2, subtitle = $3, min_cents = $4, max_cents = $5,
                          roi_basis_points = $6, duration_days = $7, active = $8, holdings = $9, manager = $10,
                          costs = $11, cost_basis_points = $12, risk_class = $13, document_url = $14,
                          min_holding_days = $15, exit_fee_basis_points = $16
         WHERE id = $1",
        id.get(),
        terms.title,
        terms.subtitle,
        terms.min.get(),
        terms.max.get(),
        terms.roi_basis_points,
        terms.duration_days,
        terms.active,
        terms.disclosure.holdings,
        terms.disclosure.manager,
        terms.disclosure.costs,
        terms.disclosure.cost_basis_points,
        terms.disclosure.risk_class,
        terms.disclosure.document_url,
        terms.disclosure.min_holding_days,
        terms.disclosure.exit_fee_basis_points,
    )
    .execute(conn)
    .await?;
    Ok(())
}
