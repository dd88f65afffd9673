//! BeginPasskeyLogin: returns the options with which a browser logs in by any passkey of this site.

use chassis::clock;
use uuid::Uuid;

use crate::app::App;
use crate::domain::passkey::Ceremony;
use crate::error::Error;

/// The options as JSON. They name no account, and nothing is kept of them: a visitor costs no row.
pub async fn begin_passkey_login(app: &App) -> Result<String, Error> {
    let now = clock::now(&mut *app.db.conn().await?).await?;
    let challenge = app.secrets.challenge(Uuid::new_v4(), Ceremony::SignIn, now);
    app.relying_party.request_options(&[], &challenge)
}
