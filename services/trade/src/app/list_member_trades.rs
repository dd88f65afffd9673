//! A member's trades, for staff.

use chassis::clock;
use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::trade::{Status, Trade};
use crate::error::Error;
use crate::store::trades;

/// All of them, the refused ones included, newest first.
pub async fn list_member_trades(db: &Db, user_id: MemberId) -> Result<Vec<Trade>, Error> {
    let statuses = [Status::Opening, Status::Open, Status::Settling, Status::Claimed, Status::Closed, Status::Failed];
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    trades::list(&mut conn, user_id, &statuses, now).await
}
