//! ReplaceRecoveryCodes: replaces the recovery codes.

use chassis::identity::{Session, step_up_required};

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::security::recovery;
use crate::domain::device::Device;
use crate::domain::second_factor::Change;
use crate::error::{Error, unauthenticated};
use crate::store::users;

/// Replaces them; returns the new ones.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`), [`Error::NotFound`] without a second factor.
pub async fn replace_recovery_codes(app: &App, session: &Session, device: &Device) -> Result<Vec<String>, Error> {
    let mut tx = app.db.begin().await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    if !second_factor::is_set_up(&mut tx, user.id).await? {
        return Err(Error::NotFound("second factor"));
    }
    if !session.stepped_up {
        return Err(step_up_required().into());
    }
    let codes = recovery::replace(app, &mut tx, &user).await?;
    second_factor::note(&mut tx, &user, Change::RecoveryCodesReplaced, device).await?;
    tx.commit().await?;
    Ok(codes)
}
