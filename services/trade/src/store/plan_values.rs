//! The table `plan_values`.

use chassis::db::PgConnection;
use uuid::Uuid;

use crate::domain::value::Value;
use crate::error::Error;

/// The newest points of a plan, at most `limit`, oldest first.
///
/// # Errors
/// The database's.
pub async fn list(conn: &mut PgConnection, plan_id: Uuid, limit: i64) -> Result<Vec<Value>, Error> {
    let mut values = sqlx::query_as!(
        Value,
        "SELECT value_micros AS micros, at, source FROM plan_values WHERE plan_id = $1 ORDER BY at DESC LIMIT $2",
        plan_id,
        limit,
    )
    .fetch_all(conn)
    .await?;
    values.reverse();
    Ok(values)
}

/// The newest point of a plan.
///
/// # Errors
/// The database's.
pub async fn newest(conn: &mut PgConnection, plan_id: Uuid) -> Result<Option<Value>, Error> {
    Ok(list(conn, plan_id, 1).await?.pop())
}

/// Publishes a point.
///
/// # Errors
/// `ValueOutOfOrder` (the table's trigger watches too), the database's.
pub async fn insert(conn: &mut PgConnection, plan_id: Uuid, value: &Value, proposal_id: Uuid) -> Result<(), Error> {
    let inserted = sqlx::query!(
        "INSERT INTO plan_values (plan_id, at, value_micros, source, proposal_id) VALUES ($1, $2, $3, $4, $5)",
        plan_id,
        value.at,
        value.micros,
        value.source,
        proposal_id,
    )
    .execute(conn)
    .await;
    match inserted {
        Err(error) if chassis::db::constraint(&error) == Some("plan_values_in_order") => Err(Error::ValueOutOfOrder),
        other => Ok(other.map(|_| ())?),
    }
}
