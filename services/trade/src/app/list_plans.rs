//! The active plans; public.

use chassis::clock;
use chassis::db::Db;

use crate::domain::plan::Plan;
use crate::error::Error;
use crate::store::plans;

/// The plans members can invest in, in the order they were made.
pub async fn list_plans(db: &Db) -> Result<Vec<Plan>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let mut list = plans::list(&mut conn, now).await?;
    list.retain(|plan| plan.terms.active);
    Ok(list)
}
