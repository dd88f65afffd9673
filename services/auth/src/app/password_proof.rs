//! A step of several use cases: a logged-in user confirms their password, before the transaction. The attempt is
//! counted and committed before the comparison, as in a login.

use chassis::db::PgConnection;

use super::{App, security_log};
use crate::domain::password::Password;
use crate::domain::security_event::Kind;
use crate::domain::throttle::Counter;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::login_throttles;

/// Compares a password with the one in force.
///
/// # Errors
/// [`Error::WrongPassword`] at the field, [`Error::TooManyTries`], [`Error::Overloaded`].
pub async fn prove(app: &App, user: &User, password: &Password, field: &'static str) -> Result<(), Error> {
    let mut conn = app.db.conn().await?;
    if let Some(wait) = login_throttles::charge(&mut conn, &Counter::inside(user.id)).await? {
        let error = Error::TooManyTries(wait);
        security_log::throttled(&error, Some((user.id, user.role)), Kind::Password, None);
        return Err(error);
    }
    drop(conn);
    let matches = app.hasher.matches(password, user.password_hash.as_deref()).await?;
    if matches {
        return Ok(());
    }
    security_log::refused(&app.db, user.id, Kind::Password, None).await?;
    Err(Error::WrongPassword(field))
}

/// Whether the password that was compared is still in force; forgets the vain tries then. In the transaction of what it was
/// given for, whose caller holds the account's lock.
///
/// # Errors
/// [`Error::WrongPassword`] at the field.
pub async fn acquit(conn: &mut PgConnection, known: &User, user: &User, field: &'static str) -> Result<(), Error> {
    // Changed by another call while it was compared.
    if user.password_hash != known.password_hash {
        return Err(Error::WrongPassword(field));
    }
    Ok(login_throttles::clear(conn, &Counter::inside(user.id)).await?)
}
