//! The table `plan_values`.

use chassis::db::PgConnection;
use chassis::id::{PlanId, ProposalId};

use crate::domain::value::Value;
use crate::error::Error;

/// The newest points of a plan, at most `limit`, oldest first.
pub async fn list(conn: &mut PgConnection, plan_id: PlanId, limit: i64) -> Result<Vec<Value>, Error> {
    let mut values = sqlx::query_as!(
        Value,
        "SELECT value_micros AS micros, at, source FROM plan_values WHERE plan_id = $1 ORDER BY at DESC LIMIT $2",
        plan_id.get(),
        limit,
    )
    .fetch_all(conn)
    .await?;
    values.reverse();
    Ok(values)
}

/// The newest points of several plans, at most `limit` of each, oldest first within a plan. Of these at most `points`:
/// the oldest, the newest, and others at even distances between them.
pub async fn list_of(
    conn: &mut PgConnection,
    plan_ids: &[PlanId],
    limit: i64,
    points: i64,
) -> Result<Vec<(PlanId, Value)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT wanted.plan_id AS "plan_id!", value_micros, at, source
           FROM (SELECT DISTINCT plan_id FROM unnest($1::uuid[]) AS ids (plan_id)) AS wanted,
           LATERAL (
               SELECT value_micros, at, source, row_number() OVER (ORDER BY at) AS place, count(*) OVER () AS total
               FROM (SELECT value_micros, at, source FROM plan_values WHERE plan_values.plan_id = wanted.plan_id
                     ORDER BY at DESC LIMIT $2) AS newest) AS numbered
           WHERE place = total OR (place - 1) % greatest(1, (total + $3 - 3) / ($3 - 1)) = 0
           ORDER BY wanted.plan_id, at"#,
        plan_ids as _,
        limit,
        points,
    )
    .fetch_all(conn)
    .await?;
    let value = |micros, at, source| Value { micros, at, source };
    Ok(rows.into_iter().map(|row| (row.plan_id.into(), value(row.value_micros, row.at, row.source))).collect())
}

/// The newest point of a plan.
pub async fn newest(conn: &mut PgConnection, plan_id: PlanId) -> Result<Option<Value>, Error> {
    Ok(list(conn, plan_id, 1).await?.pop())
}

/// Publishes a point.
///
/// # Errors
/// `ValueOutOfOrder` (the table's trigger watches too).
pub async fn insert(
    conn: &mut PgConnection,
    plan_id: PlanId,
    value: &Value,
    proposal_id: ProposalId,
) -> Result<(), Error> {
    let inserted = sqlx::query!(
        "INSERT INTO plan_values (plan_id, at, value_micros, source, proposal_id) VALUES ($1, $2, $3, $4, $5)",
        plan_id.get(),
        value.at,
        value.micros,
        value.source,
        proposal_id.get(),
    )
    .execute(conn)
    .await;
    match inserted {
        Err(error) if chassis::db::constraint(&error) == Some("plan_values_in_order") => Err(Error::ValueOutOfOrder),
        other => Ok(other.map(|_| ())?),
    }
}
