//! Reads which mails and notices on devices a member does not want.

use chassis::db::Db;
use chassis::id::UserId;

use crate::domain::notice::Preferences;
use crate::error::Error;
use crate::store::notice_preferences;

/// The groups that are turned off.
///
/// # Errors
/// Database.
pub async fn get_notice_preferences(db: &Db, user_id: UserId) -> Result<Preferences, Error> {
    Ok(notice_preferences::find(&mut *db.conn().await?, user_id).await?)
}
