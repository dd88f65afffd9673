//! RemovePasskey: removes a passkey, and with the last factor its recovery codes.

use chassis::identity::{Session, step_up_required};

use crate::app::App;
use crate::app::factor::second_factor;
use crate::domain::device::Device;
use crate::domain::passkey::PasskeyId;
use crate::domain::second_factor::Change;
use crate::error::{Error, unauthenticated};
use crate::store::{passkeys, users};

/// Removes; no session ends.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`; the last factor of staff who need one), [`Error::NotFound`].
pub async fn remove_passkey(app: &App, session: &Session, id: PasskeyId, device: &Device) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    if !passkeys::remove(&mut tx, user.id, id).await? {
        return Err(Error::NotFound("passkey"));
    }
    if !session.stepped_up {
        return Err(step_up_required().into());
    }
    second_factor::note_removal(app, &mut tx, &user, Change::PasskeyRemoved, device).await?;
    tx.commit().await?;
    Ok(())
}
