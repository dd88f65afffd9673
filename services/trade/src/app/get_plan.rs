//! A plan with what its past says; public.

use chassis::clock;
use chassis::db::Db;
use chassis::id::PlanId;

use crate::domain::facts::Facts;
use crate::domain::plan::Plan;
use crate::error::Error;
use crate::store::{plan_values, plans, trades};

/// Values that the past consists of: those of 27 years, published once a day.
const VALUES: i64 = 10_000;
/// Ended trades that are counted, the newest.
const TRADES: i64 = 10_000;

/// The plan, also one that is not offered any more, since members still hold it.
///
/// # Errors
/// `PlanNotFound` if no plan has this id.
pub async fn get_plan(db: &Db, plan_id: PlanId) -> Result<(Plan, Facts), Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let plan = plans::get(&mut conn, plan_id, now).await?.ok_or(Error::PlanNotFound)?;
    let values = plan_values::list(&mut conn, plan_id, VALUES).await?;
    let outcomes = trades::outcomes(&mut conn, plan_id, TRADES).await?;
    Ok((plan, Facts::new(&values, outcomes, now)))
}
