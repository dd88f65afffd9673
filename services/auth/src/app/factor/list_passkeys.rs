//! ListPasskeys: returns the caller's passkeys.

use chassis::id::UserId;

use crate::app::App;
use crate::domain::passkey::Passkey;
use crate::error::Error;
use crate::store::passkeys;

pub async fn list_passkeys(app: &App, user_id: UserId) -> Result<Vec<Passkey>, Error> {
    Ok(passkeys::of_user(&mut *app.db.conn().await?, user_id).await?)
}
