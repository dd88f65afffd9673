//! The published values of plans with their sources; public.

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::PlanId;

use crate::domain::value::Value;
use crate::error::Error;
use crate::store::{plan_values, plans};

/// More points than a chart can show.
const LIMIT: i64 = 2_000;
/// Plans in one request.
const LARGEST_BATCH: usize = 100;
/// Minimum points of a plan where a request limits them: the oldest and the newest.
const FEWEST_POINTS: i64 = 2;

/// The newest points, oldest first; also of a plan that is not offered any more, since members still hold it.
///
/// # Errors
/// `PlanNotFound` if no plan has this id.
pub async fn list_plan_values(db: &Db, plan_id: PlanId) -> Result<Vec<Value>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    plans::get(&mut conn, plan_id, now).await?.ok_or(Error::PlanNotFound)?;
    plan_values::list(&mut conn, plan_id, LIMIT).await
}

/// The newest points of several plans, by plan, oldest first: all, or at most `points` of each at even distances.
///
/// # Errors
/// Invalid for more than 100 plans.
pub async fn batch_list_plan_values(
    db: &Db,
    plan_ids: &[PlanId],
    points: Option<i64>,
) -> Result<Vec<(PlanId, Value)>, Error> {
    if plan_ids.len() > LARGEST_BATCH {
        return Err(Refusal::field("ids", format!("At most {LARGEST_BATCH} plans can be requested at once.")).into());
    }
    let points = points.map_or(LIMIT, |points| points.clamp(FEWEST_POINTS, LIMIT));
    plan_values::list_of(&mut *db.conn().await?, plan_ids, LIMIT, points).await
}
