//! Lists unprocessable events for staff.

use chassis::db::Db;
use chassis::dead_letter;
use proto::common::v1::DeadLetter;

use crate::error::Error;

/// What waits beside this queue, newest first.
pub async fn list_dead_letters(db: &Db, queue: &str) -> Result<Vec<DeadLetter>, Error> {
    Ok(dead_letter::list(&mut *db.conn().await?, queue).await?)
}
