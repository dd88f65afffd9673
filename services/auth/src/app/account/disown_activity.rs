//! DisownActivity: handles the link "This was not me" of a security email.

use chassis::clock;

use crate::app::App;
use crate::app::security::securing::{self, Recovered};
use crate::domain::security_link::Purpose;
use crate::error::Error;
use crate::store::security_links;

/// "This was not me" (D-A6). If the address that the link was mailed to was changed since, and the change can still be
/// undone, it is: the reset link must not go to the person who changed it.
///
/// # Errors
/// [`Error::InvalidLink`] if it is unknown, used or expired.
pub async fn disown_activity(app: &App, token: &str) -> Result<Recovered, Error> {
    let id = app.secrets.read_security_token(token.trim()).ok_or(Error::InvalidLink)?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let (user, link) = securing::take(&mut tx, id, Purpose::NotMe, now).await?;
    let undo = match link.email.eq_ignore_ascii_case(&user.email) {
        true => None,
        false => security_links::find_undo(&mut tx, &user, &link.email).await?,
    };
    let recovered = match undo {
        Some(undo) => {
            security_links::consume(&mut tx, undo.id, now).await?;
            securing::restore(app, &mut tx, user, &undo, now).await?
        }
        None => {
            securing::secure(app, &mut tx, &user, now).await?;
            Recovered::ByMail
        }
    };
    tx.commit().await?;
    Ok(recovered)
}
