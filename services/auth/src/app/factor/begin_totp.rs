//! BeginTotp: creates the secret of an authenticator, which is pending until its first code.

use chassis::identity::Session;
use chassis::{clock, keys};
use uuid::Uuid;

use crate::app::App;
use crate::app::factor::factor_proof;
use crate::domain::totp::{Authenticator, SECRET_BYTES};
use crate::error::Error;
use crate::store::authenticators;
use crate::store::authenticators::Kept;

/// The authenticator to be, in place of one that waited before. One in force stays so until the new one is confirmed.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`), wrong fields, [`Error::WrongPassword`], [`Error::TooManyTries`].
pub async fn begin_totp(app: &App, session: &Session, password: &str) -> Result<Authenticator, Error> {
    let proof = factor_proof::prove(app, session, password).await?;
    let secret = keys::random::<SECRET_BYTES>().map_err(|error| Error::Cryptography(error.to_string()))?;
    let id = Uuid::new_v4();
    let sealed = app.totp_key.seal(id.as_bytes(), &secret).map_err(|error| Error::Cryptography(error.to_string()))?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = proof.admit(&mut tx).await?;
    let authenticator = Authenticator::new(&secret, &user.email).map_err(Error::Cryptography)?;
    authenticators::replace_pending(&mut tx, user.id, &Kept { id, sealed_secret: sealed }, now).await?;
    tx.commit().await?;
    Ok(authenticator)
}
