//! UpdateProfile: changes the caller's details. A new address stays pending until its code is confirmed (D-S12).

use chassis::clock;
use chassis::db::Tx;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{App, issuing};
use crate::domain::code::Purpose;
use crate::domain::details::Details;
use crate::domain::email::Email;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::{codes, users};

/// Changes them; returns the account as it stands then.
///
/// # Errors
/// [`Error::EmailTaken`], [`Error::TooManyCodes`], [`Error::AccountFrozen`], the database's.
pub async fn update_profile(app: &App, user_id: Uuid, details: &Details) -> Result<User, Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, user_id).await?.ok_or(Error::NotFound("account"))?;
    if user.frozen_at.is_some() {
        return Err(Error::AccountFrozen);
    }
    users::set_details(&mut tx, user.id, details).await?;
    if details.email.is(&user.email) {
        // The address in force was sent: a change that waited is off.
        issuing::withdraw_email_change(&mut tx, &user, now).await?;
    } else {
        request_change(&mut tx, &user, &details.email, now).await?;
    }
    let user = users::find(&mut tx, user.id).await?.ok_or(Error::NotFound("account"))?;
    tx.commit().await?;
    Ok(user)
}

async fn request_change(tx: &mut Tx, user: &User, email: &Email, now: OffsetDateTime) -> Result<(), Error> {
    if users::find_by_email(tx, email.as_str()).await?.is_some() {
        return Err(Error::EmailTaken);
    }
    let again = user.pending_email.as_deref().is_some_and(|pending| email.is(pending));
    if again && codes::is_alive(tx, user.id, Purpose::EmailChange, now).await? {
        return Ok(());
    }
    users::set_pending_email(tx, user.id, Some(email.as_str())).await?;
    issuing::code(tx, user.id, Purpose::EmailChange, email.as_str(), now).await?;
    if !again {
        published::email_change_requested(tx, user, email.as_str()).await?;
    }
    Ok(())
}
