//! Returns the queue of pending transactions to staff.

use chassis::db::Db;

use crate::error::Error;
use crate::store::times::{self, HandlingTime};
use crate::store::transactions::{self, Waiting};

/// What waits, and how long recent decisions took.
#[derive(Debug, Clone)]
pub struct Queue {
    /// How many of each kind wait, and since when.
    pub waiting: Vec<Waiting>,
    /// Of the last 24 hours, for kinds of which enough were handled.
    pub times: Vec<HandlingTime>,
}

/// The queue as it is now.
pub async fn get_queue(db: &Db) -> Result<Queue, Error> {
    let mut conn = db.conn().await?;
    let mut times = times::of_the_last_day(&mut conn).await?;
    times.retain(|time| time.kind != "paid_withdrawal" && time.is_meaningful());
    Ok(Queue { waiting: transactions::queue(&mut conn).await?, times })
}
