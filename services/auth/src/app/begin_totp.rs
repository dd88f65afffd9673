//! BeginTotp: creates the secret of an authenticator, which is pending until its first code.

use chassis::identity::{Session, step_up_required};
use chassis::{clock, keys};
use uuid::Uuid;

use super::{App, password_proof};
use crate::domain::password::{Form, Password};
use crate::domain::totp::{Authenticator, SECRET_BYTES};
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::authenticators::Kept;
use crate::store::{authenticators, users};

const PASSWORD: &str = "password";

/// The authenticator to be, in place of one that waited before. One in force stays so until the new one is confirmed,
/// and only a fresh code of it may replace it. A member's first takes the password; staff just signed in by theirs.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`), wrong fields, [`Error::WrongPassword`], [`Error::TooManyTries`].
pub async fn begin_totp(app: &App, session: &Session, password: &str) -> Result<Authenticator, Error> {
    let known = users::find(&mut *app.db.conn().await?, session.user_id).await?.ok_or_else(unauthenticated)?;
    let by_password = known.is_member() && !session.stepped_up && !session.has_factor;
    if by_password {
        let password = Password::parse(password, Form::Password).map_err(|text| Error::field(PASSWORD, text))?;
        password_proof::prove(app, &known, &password, PASSWORD).await?;
    }
    let secret = keys::random::<SECRET_BYTES>().map_err(|error| Error::Cryptography(error.to_string()))?;
    let id = Uuid::new_v4();
    let sealed = app.totp_key.seal(id.as_bytes(), &secret).map_err(|error| Error::Cryptography(error.to_string()))?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user: User = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    if by_password {
        password_proof::acquit(&mut tx, &known, &user, PASSWORD).await?;
    }
    let authenticator = Authenticator::new(&secret, &user.email).map_err(Error::Cryptography)?;
    if !session.stepped_up && authenticators::in_force(&mut tx, user.id).await?.is_some() {
        return Err(step_up_required().into());
    }
    authenticators::replace_pending(&mut tx, user.id, &Kept { id, sealed_secret: sealed }, now).await?;
    tx.commit().await?;
    Ok(authenticator)
}
