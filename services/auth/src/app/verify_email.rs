//! VerifyEmail: confirms an address by the code mailed to it: a registration's, or the new one of an email change.

use chassis::clock;
use chassis::db::Tx;
use time::OffsetDateTime;
use uuid::Uuid;

use super::App;
use crate::domain::email::Email;
use crate::error::Error;
use crate::events::published;
use crate::store::codes::Consumed;
use crate::store::{codes, reset_tokens, users};

/// Confirms. The submission is counted, and the count committed, before the comparison, so that a code has five however
/// many come at once.
///
/// # Errors
/// [`Error::InvalidCode`]; [`Error::EmailTaken`] if another account took the new address meanwhile; the database's.
pub async fn verify_email(app: &App, email: &Email, code: &str) -> Result<(), Error> {
    let tried = codes::count_attempt(&mut *app.db.conn().await?, email.as_str()).await?;
    let right = tried.iter().find(|tried| app.secrets.is_code(tried.id, code)).ok_or(Error::InvalidCode)?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    confirm(&mut tx, right.user_id, right.id, now).await?;
    tx.commit().await?;
    Ok(())
}

async fn confirm(tx: &mut Tx, user_id: Uuid, code_id: Uuid, now: OffsetDateTime) -> Result<(), Error> {
    let user = users::lock(tx, user_id).await?.ok_or(Error::InvalidCode)?;
    let Consumed { purpose, email, .. } = codes::consume(tx, code_id, now).await?.ok_or(Error::InvalidCode)?;
    if purpose == "registration" {
        users::verify(tx, user.id, now).await?;
    } else if user.frozen_at.is_some() {
        return Err(Error::InvalidCode);
    } else {
        users::set_email(tx, user.id, &email).await?;
        // A link that waits in the old mailbox opens nothing any more.
        reset_tokens::supersede(tx, user.id, now).await?;
        published::email_changed(tx, &user, &email).await?;
    }
    Ok(())
}
