//! A step of several use cases: a logged-in user confirms their password, before the transaction. The attempt is
//! counted and committed before the comparison, as in a login.

use chassis::db::PgConnection;
use chassis::identity::Session;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::asker::Asker;
use crate::domain::password::Password;
use crate::domain::security_event::Kind;
use crate::domain::throttle::Counter;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::{login_throttles, sessions};

/// Compares a password with the one in force.
///
/// # Errors
/// [`Error::WrongPassword`] at the field, [`Error::TooManyTries`], [`Error::Overloaded`].
pub async fn prove(
    app: &App,
    session: &Session,
    user: &User,
    (password, field): (&Password, &'static str),
) -> Result<(), Error> {
    let asker = asker(app, session).await?;
    let mut conn = app.db.conn().await?;
    if let Some(wait) = login_throttles::charge(&mut conn, &Counter::inside(user.id)).await? {
        let error = Error::TooManyTries(wait);
        security_log::throttled(&error, Some((user.id, user.role)), Kind::Password, None);
        return Err(error);
    }
    drop(conn);
    let matches = app.hasher.matches(asker, password, user.password_hash.as_deref()).await?;
    if matches {
        return Ok(());
    }
    security_log::refused_in(&app.db, session.id, user.id, Kind::Password).await?;
    Err(Error::WrongPassword(field))
}

/// Who asks for work inside a session: its account, from where it was opened.
pub async fn asker(app: &App, session: &Session) -> Result<Asker, Error> {
    let opened = sessions::find(&mut *app.db.conn().await?, session.id).await?.ok_or_else(unauthenticated)?;
    Ok(Asker::account(session.user_id, &security_log::device_of(&opened)))
}

/// Whether the password that was compared is still in force; forgets the vain tries then. In the transaction of what it was
/// given for, whose caller holds the account's lock.
///
/// # Errors
/// [`Error::WrongPassword`] at the field.
pub async fn acquit(
    conn: &mut PgConnection,
    session: &Session,
    (known, user): (&User, &User),
    field: &'static str,
) -> Result<(), Error> {
    // Changed by another call while it was compared.
    if user.password_hash != known.password_hash {
        return Err(Error::WrongPassword(field));
    }
    sessions::forget_refusals(&mut *conn, session.id).await?;
    Ok(login_throttles::clear(conn, &Counter::inside(user.id)).await?)
}
