//! Changes which mails a member does not want.

use chassis::db::Db;
use chassis::error::Refusal;
use uuid::Uuid;

use crate::domain::notice::Group;
use crate::error::Error;
use crate::store::notice_preferences;

/// Turns the mails of these groups off, and those of all others on.
///
/// # Errors
/// Invalid for mails about security.
pub async fn set_notice_preferences(db: &Db, user_id: Uuid, mail_off: &[Group]) -> Result<(), Error> {
    if mail_off.contains(&Group::Security) {
        return Err(Refusal::field("mail", "Mails about security cannot be turned off.").into());
    }
    let mut tx = db.begin().await?;
    notice_preferences::set(&mut tx, user_id, mail_off).await?;
    tx.commit().await?;
    Ok(())
}
