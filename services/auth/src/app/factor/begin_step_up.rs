//! BeginStepUp: returns the options with which a browser uses one of the caller's passkeys as the second factor.

use chassis::clock;
use chassis::identity::Session;
use uuid::Uuid;

use crate::app::App;
use crate::domain::passkey::Ceremony;
use crate::error::Error;
use crate::store::passkeys;

/// The options as JSON; with the digest of a decision, the passkey signs that, too.
///
/// # Errors
/// [`Error::NotFound`] without a passkey.
pub async fn begin_step_up(app: &App, session: &Session, digest: Option<[u8; 32]>) -> Result<String, Error> {
    let mut conn = app.db.conn().await?;
    let known = passkeys::of_user(&mut conn, session.user_id).await?;
    if known.is_empty() {
        return Err(Error::NotFound("passkey"));
    }
    let now = clock::now(&mut conn).await?;
    let ceremony = match digest {
        Some(digest) => Ceremony::Decision(session.id, digest),
        None => Ceremony::StepUp(session.id),
    };
    let challenge = app.secrets.challenge(Uuid::new_v4(), ceremony, now);
    app.relying_party.request_options(&known, &challenge)
}
