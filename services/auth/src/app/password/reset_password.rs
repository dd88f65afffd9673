//! ResetPassword: sets a password with an emailed link, and ends all sessions.

use chassis::clock;

use crate::app::App;
use crate::app::account::close_account;
use crate::app::security::{safeguards, security_log};
use crate::app::session::{ending, issuing};
use crate::domain::asker::Asker;
use crate::domain::device::Device;
use crate::domain::fields::FieldErrors;
use crate::domain::password::{Form, Password};
use crate::domain::safeguard::Change;
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose;
use crate::domain::throttle::Counter;
use crate::error::Error;
use crate::events::published;
use crate::secrets::token_hash;
use crate::store::{login_throttles, reset_tokens, security_links, users};

#[derive(Clone)]
pub struct Reset {
    /// The link's token.
    pub token: String,
    pub password: String,
    pub confirm_password: String,
    pub device: Device,
}

/// # Errors
/// [`Error::InvalidResetToken`], wrong fields, [`Error::TooManyTries`], [`Error::Overloaded`].
pub async fn reset_password(app: &App, reset: &Reset) -> Result<(), Error> {
    check_form(reset)?;
    let token_hash = token_hash(reset.token.trim());
    let mut conn = app.db.conn().await?;
    let user_id = reset_tokens::find_live(&mut conn, &token_hash).await?.ok_or(Error::InvalidResetToken)?;
    let user = users::find(&mut conn, user_id).await?.ok_or(Error::InvalidResetToken)?;
    if let Some(wait) = login_throttles::charge(&mut conn, &Counter::resets(user.id)).await? {
        return Err(Error::TooManyTries(wait));
    }
    drop(conn);
    let password = Password::choose(&reset.password, Form::Password, &user.name, &user.email)
        .map_err(|sentence| Error::field("password", sentence))?;
    let hash = app.hasher.hash(Asker::visitor(&reset.device), &password).await?;

    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, user.id).await?.filter(|user| user.is_open()).ok_or(Error::InvalidResetToken)?;
    if !reset_tokens::consume(&mut tx, &token_hash, now).await? {
        return Err(Error::InvalidResetToken);
    }
    // The others have done their part.
    reset_tokens::supersede(&mut tx, user.id, now).await?;
    login_throttles::clear(&mut tx, &Counter::resets(user.id)).await?;
    users::set_password(&mut tx, user.id, &hash).await?;
    // It may have been requested by the person whom the new password locks out.
    issuing::withdraw_email_change(&mut tx, &user, now).await?;
    close_account::call_off(&mut tx, &user, now).await?;
    if !user.is_member() {
        // The link proved the address of invited staff.
        users::verify(&mut tx, user.id, now).await?;
    }
    ending::end_all(&mut tx, user.id, None, now).await?;
    safeguards::cool_off(app, &mut tx, user.id, Change::Password, now).await?;
    security_log::done(&mut tx, (user.id, user.role), Kind::PasswordReset, None, now).await?;
    let link = security_links::insert(&mut tx, (user.id, &user.email), Purpose::NotMe, now).await?;
    published::password_changed(&mut tx, user.id, link).await?;
    tx.commit().await?;
    Ok(())
}

fn check_form(reset: &Reset) -> Result<(), Error> {
    let mut errors = FieldErrors::default();
    let password = errors.check("password", Password::parse(&reset.password, Form::Password));
    let confirmed = if reset.password == reset.confirm_password { Ok(()) } else { Err("Passwords do not match") };
    let confirmed = errors.check("confirmPassword", confirmed);
    if password.is_some() && confirmed.is_some() { Ok(()) } else { Err(errors.into()) }
}
