//! A step of several use cases: whoever calls shows again that the account is theirs, before its transaction begins.

use chassis::caller::Session;

use super::App;
use crate::domain::password::{Form, Password};
use crate::domain::throttle::Counter;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::login_throttles;

/// Takes a fresh second factor of the session, or else the password in force, which came in the field `currentPassword`.
/// Vain tries are throttled as those of a login are.
///
/// # Errors
/// [`Error::ReauthenticationRequired`] without either, [`Error::WrongCurrentPassword`], [`Error::TooManyTries`],
/// [`Error::Overloaded`], the database's.
pub async fn reauthenticate(app: &App, session: &Session, user: &User, password: &str) -> Result<(), Error> {
    if session.stepped_up {
        return Ok(());
    }
    if password.is_empty() {
        return Err(Error::ReauthenticationRequired);
    }
    let Ok(password) = Password::parse(password, Form::Old) else { return Err(Error::WrongCurrentPassword) };
    let counter = Counter::inside(user.id);
    if let Some(wait) = login_throttles::charge(&mut *app.db.conn().await?, &counter).await? {
        return Err(Error::TooManyTries(wait));
    }
    if !app.hasher.matches(&password, user.password_hash.as_deref()).await? {
        return Err(Error::WrongCurrentPassword);
    }
    Ok(login_throttles::clear(&mut *app.db.conn().await?, &counter).await?)
}
