//! The published values of a plan, for everybody: a chart has a source.

use chassis::clock;
use chassis::db::Db;
use uuid::Uuid;

use crate::domain::value::Value;
use crate::error::Error;
use crate::store::{plan_values, plans};

/// More points than a chart can show.
const LIMIT: i64 = 2_000;

/// The newest points, oldest first; also of a plan that is not offered any more, since members still hold it.
///
/// # Errors
/// `PlanNotFound`, the database's.
pub async fn list_plan_values(db: &Db, plan_id: Uuid) -> Result<Vec<Value>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    plans::get(&mut conn, plan_id, now).await?.ok_or(Error::PlanNotFound)?;
    plan_values::list(&mut conn, plan_id, LIMIT).await
}
