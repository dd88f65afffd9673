//! The caller's trades.

use chassis::clock;
use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::trade::{Status, Trade};
use crate::error::Error;
use crate::store::trades;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those whose money is invested: open ones, and ones that are being paid out.
    Open,
    /// Also those being opened, and the ended ones. A trade that wallet refused never was one.
    All,
}

/// The trades, newest first.
pub async fn list_trades(db: &Db, user_id: MemberId, which: Which) -> Result<Vec<Trade>, Error> {
    let statuses: &[Status] = match which {
        Which::Open => &[Status::Open, Status::Settling],
        Which::All => &[Status::Opening, Status::Open, Status::Settling, Status::Claimed, Status::Closed],
    };
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    trades::list(&mut conn, user_id, statuses, now).await
}
