//! UndoEmailChange: the owner of the old address recovers the account.

use chassis::clock;

use crate::app::App;
use crate::app::security::securing::{self, Recovered};
use crate::domain::security_link::Purpose;
use crate::error::Error;

/// Puts the address in force again that the link was mailed to (D-A1).
///
/// # Errors
/// [`Error::InvalidLink`] if it is unknown, used or expired.
pub async fn undo_email_change(app: &App, token: &str) -> Result<Recovered, Error> {
    let id = app.secrets.read_security_token(token.trim()).ok_or(Error::InvalidLink)?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let (user, link) = securing::take(&mut tx, id, Purpose::Undo, now).await?;
    let recovered = securing::restore(app, &mut tx, user, &link, now).await?;
    tx.commit().await?;
    Ok(recovered)
}
