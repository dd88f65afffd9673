//! ChangePassword: sets a new password with the current one, and ends all other sessions (D-S12).

use chassis::clock;
use chassis::identity::Session;

use crate::app::App;
use crate::app::password::password_proof;
use crate::app::security::{safeguards, security_log};
use crate::app::session::{ending, issuing};
use crate::domain::fields::FieldErrors;
use crate::domain::password::{Form, Password};
use crate::domain::safeguard::Change;
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::events::published;
use crate::store::{reset_tokens, security_links, users};

const OLD: &str = "oldPassword";

/// Changes it. Vain tries are throttled as those of a login are.
///
/// # Errors
/// Wrong fields, [`Error::WrongPassword`], [`Error::TooManyTries`], [`Error::AccountFrozen`], [`Error::Overloaded`].
pub async fn change_password(app: &App, session: &Session, old: &str, new: &str) -> Result<(), Error> {
    if old == new {
        return Err(Error::field("newPassword", "Choose a password that differs from your current one"));
    }
    let mut conn = app.db.conn().await?;
    let user = users::find(&mut conn, session.user_id).await?.ok_or_else(unauthenticated)?;
    let mut errors = FieldErrors::default();
    let old = errors.check(OLD, Password::parse(old, Form::Old));
    let new = errors.check("newPassword", Password::choose(new, Form::New, &user.name, &user.email));
    let (Some(old), Some(new)) = (old, new) else { return Err(errors.into()) };
    drop(conn);
    password_proof::prove(app, session, &user, (&old, OLD)).await?;
    let hash = app.hasher.hash(password_proof::asker(app, session).await?, &new).await?;
    set(app, session, &user, &hash).await
}

async fn set(app: &App, session: &Session, known: &User, hash: &str) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, known.id).await?.ok_or_else(unauthenticated)?;
    if user.frozen_at.is_some() {
        return Err(Error::AccountFrozen);
    }
    password_proof::acquit(&mut tx, session, (known, &user), OLD).await?;
    users::set_password(&mut tx, user.id, hash).await?;
    // It may have been requested by the person whom the new password locks out.
    issuing::withdraw_email_change(&mut tx, &user, now).await?;
    reset_tokens::supersede(&mut tx, user.id, now).await?;
    ending::end_all(&mut tx, user.id, Some(session.id), now).await?;
    safeguards::cool_off(app, &mut tx, user.id, Change::Password, now).await?;
    let account = (user.id, user.role);
    security_log::done_in(&mut tx, session.id, account, Kind::PasswordChanged, now).await?;
    let link = security_links::insert(&mut tx, (user.id, &user.email), Purpose::NotMe, now).await?;
    published::password_changed(&mut tx, user.id, link).await?;
    tx.commit().await?;
    Ok(())
}
