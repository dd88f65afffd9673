//! Notes which notices a member has read.

use chassis::db::Db;
use chassis::id::UserId;

use super::list_notices::COUNTED;
use crate::domain::notice::Read;
use crate::error::Error;
use crate::store::notices;

/// Returns how many notices are still unread.
///
/// # Errors
/// Database.
pub async fn read_notices(db: &Db, user_id: UserId, which: Read) -> Result<i32, Error> {
    let mut tx = db.begin().await?;
    notices::read(&mut tx, user_id, which).await?;
    let unread = notices::count_unread(&mut tx, user_id, COUNTED).await?;
    tx.commit().await?;
    Ok(unread)
}
