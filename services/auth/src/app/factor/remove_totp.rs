//! RemoveTotp: removes the authenticator, and the recovery codes unless a passkey is left.

use chassis::identity::{Session, step_up_required};

use crate::app::App;
use crate::app::factor::second_factor;
use crate::domain::device::Device;
use crate::domain::second_factor::Change;
use crate::error::{Error, unauthenticated};
use crate::store::{authenticators, users};

/// Removes; no session ends.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`; the last factor of staff who need one), [`Error::NotFound`] without authenticator.
pub async fn remove_totp(app: &App, session: &Session, device: &Device) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    authenticators::in_force(&mut tx, user.id).await?.ok_or(Error::NotFound("authenticator"))?;
    if !session.stepped_up {
        return Err(step_up_required().into());
    }
    authenticators::forget(&mut tx, user.id).await?;
    second_factor::note_removal(app, &mut tx, &user, Change::AuthenticatorRemoved, device).await?;
    tx.commit().await?;
    Ok(())
}
