//! BeginStepUp: returns the options with which a browser uses one of the caller's passkeys as the second factor.

use chassis::clock;
use chassis::identity::Session;
use uuid::Uuid;

use super::App;
use crate::domain::passkey::Ceremony;
use crate::error::Error;
use crate::store::passkeys;

/// The options as JSON.
///
/// # Errors
/// [`Error::NotFound`] without a passkey.
pub async fn begin_step_up(app: &App, session: &Session) -> Result<String, Error> {
    let mut conn = app.db.conn().await?;
    let known = passkeys::of_user(&mut conn, session.user_id).await?;
    if known.is_empty() {
        return Err(Error::NotFound("passkey"));
    }
    let now = clock::now(&mut conn).await?;
    let challenge = app.secrets.challenge(Uuid::new_v4(), Ceremony::StepUp(session.id), now);
    app.relying_party.request_options(&known, &challenge)
}
