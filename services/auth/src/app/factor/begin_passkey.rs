//! BeginPasskey: returns the options with which a browser makes a passkey.

use chassis::clock;
use chassis::identity::Session;
use uuid::Uuid;

use crate::app::App;
use crate::app::factor::factor_proof;
use crate::domain::passkey::{Ceremony, MOST_PASSKEYS};
use crate::error::Error;
use crate::store::passkeys;

/// The options as JSON. Their challenge proves to FinishPasskey that this session was admitted; nothing is kept of it.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`), wrong fields, [`Error::WrongPassword`], [`Error::TooManyTries`],
/// [`Error::TooManyPasskeys`].
pub async fn begin_passkey(app: &App, session: &Session, password: &str) -> Result<String, Error> {
    let proof = factor_proof::prove(app, session, password).await?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = proof.admit(&mut tx).await?;
    let known = passkeys::of_user(&mut tx, user.id).await?;
    if known.len() >= MOST_PASSKEYS {
        return Err(Error::TooManyPasskeys);
    }
    tx.commit().await?;
    let challenge = app.secrets.challenge(Uuid::new_v4(), Ceremony::Registration(session.id), now);
    app.relying_party.creation_options(&user, &known, &challenge)
}
