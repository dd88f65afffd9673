//! Every plan, for staff.

use chassis::clock;
use chassis::db::Db;

use crate::domain::plan::Plan;
use crate::error::Error;
use crate::store::plans;

/// The plans, in the order they were made.
pub async fn list_all_plans(db: &Db) -> Result<Vec<Plan>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    plans::list(&mut conn, now).await
}
