//! Changes which mails and notices on devices a member does not want.

use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::UserId;

use crate::domain::notice::{Group, Preferences};
use crate::error::Error;
use crate::store::notice_preferences;

/// Turns these groups off, and all others on.
///
/// # Errors
/// Invalid for what is about security.
pub async fn set_notice_preferences(db: &Db, user_id: UserId, wanted: &Preferences) -> Result<(), Error> {
    if wanted.mail_off.contains(&Group::Security) {
        return Err(Refusal::field("mail", "Mails about security cannot be turned off.").into());
    }
    if wanted.push_off.contains(&Group::Security) {
        return Err(Refusal::field("push", "Notices about security cannot be turned off.").into());
    }
    let mut tx = db.begin().await?;
    notice_preferences::set(&mut tx, user_id, wanted).await?;
    tx.commit().await?;
    Ok(())
}
