//! ListPasskeys: returns the caller's passkeys.

use uuid::Uuid;

use crate::app::App;
use crate::domain::passkey::Passkey;
use crate::error::Error;
use crate::store::passkeys;

pub async fn list_passkeys(app: &App, user_id: Uuid) -> Result<Vec<Passkey>, Error> {
    Ok(passkeys::of_user(&mut *app.db.conn().await?, user_id).await?)
}
