//! A step of several use cases: what a caller proves before setting up a second factor. Anyone who has one gives it; a member
//! without one gives the password; staff without one just logged in with theirs.

use chassis::db::PgConnection;
use chassis::identity::{Session, step_up_required};

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::password::password_proof;
use crate::domain::password::{Form, Password};
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::users;

const PASSWORD: &str = "password";

/// A caller who proved themselves, until [`Proof::admit`].
pub struct Proof<'a> {
    session: &'a Session,
    known: User,
    by_password: bool,
}

/// Compares the password where it is needed: before the transaction, since it takes long.
///
/// # Errors
/// Wrong fields, [`Error::WrongPassword`], [`Error::TooManyTries`].
pub async fn prove<'a>(app: &App, session: &'a Session, password: &str) -> Result<Proof<'a>, Error> {
    let known = users::find(&mut *app.db.conn().await?, session.user_id).await?.ok_or_else(unauthenticated)?;
    let by_password = known.is_member() && !session.stepped_up && !session.has_factor;
    if by_password {
        let password = Password::parse(password, Form::Password).map_err(|text| Error::field(PASSWORD, text))?;
        password_proof::prove(app, session, &known, (&password, PASSWORD)).await?;
    }
    Ok(Proof { session, known, by_password })
}

impl Proof<'_> {
    /// The account, locked, if what was proven is still enough.
    ///
    /// # Errors
    /// [`Error::WrongPassword`], Forbidden (`STEP_UP_REQUIRED`).
    pub async fn admit(self, conn: &mut PgConnection) -> Result<User, Error> {
        let user = users::lock(&mut *conn, self.known.id).await?.ok_or_else(unauthenticated)?;
        if self.by_password {
            password_proof::acquit(&mut *conn, self.session, (&self.known, &user), PASSWORD).await?;
        }
        if !self.session.stepped_up && second_factor::is_set_up(conn, user.id).await? {
            return Err(step_up_required().into());
        }
        Ok(user)
    }
}
