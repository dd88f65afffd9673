//! BeginTotp: makes the secret of an authenticator, which waits for its first code.

use chassis::caller::{Session, step_up_required};
use chassis::{clock, keys};
use uuid::Uuid;

use super::{App, SecondFactor};
use crate::domain::totp::{Authenticator, SECRET_BYTES};
use crate::error::{Error, unauthenticated};
use crate::store::authenticators::Kept;
use crate::store::{authenticators, users};

/// The authenticator to be, in place of one that waited before. One in force stays so until the new one is confirmed,
/// and only a fresh code of it may replace it.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`), the database's.
pub async fn begin_totp(app: &App, session: &Session) -> Result<Authenticator, Error> {
    let secret = keys::random::<SECRET_BYTES>().map_err(|error| Error::Cryptography(error.to_string()))?;
    let id = Uuid::new_v4();
    let sealed = app.totp_key.seal(id.as_bytes(), &secret).map_err(|error| Error::Cryptography(error.to_string()))?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    let authenticator = Authenticator::new(&secret, &user.email).map_err(Error::Cryptography)?;
    let may_replace = session.stepped_up || app.second_factor == SecondFactor::Waived;
    if !may_replace && authenticators::in_force(&mut tx, user.id).await?.is_some() {
        return Err(step_up_required().into());
    }
    authenticators::replace_pending(&mut tx, user.id, &Kept { id, sealed_secret: sealed }, now).await?;
    tx.commit().await?;
    Ok(authenticator)
}
