//! Reads which mails a member does not want.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::notice::Group;
use crate::error::Error;
use crate::store::notice_preferences;

/// The groups whose mails are turned off.
///
/// # Errors
/// Database.
pub async fn get_notice_preferences(db: &Db, user_id: Uuid) -> Result<Vec<Group>, Error> {
    Ok(notice_preferences::mail_off(&mut *db.conn().await?, user_id).await?)
}
