//! RemovePasskey: removes a passkey, and with the last factor its recovery codes.

use chassis::clock;
use chassis::identity::{Session, not_permitted, step_up_required};
use uuid::Uuid;

use super::{App, SecondFactor, safeguards, second_factor};
use crate::domain::device::Device;
use crate::domain::safeguard;
use crate::domain::second_factor::Change;
use crate::error::{Error, unauthenticated};
use crate::store::{passkeys, recovery_codes, users};

/// Removes; no session ends.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`; the last factor of staff who need one), [`Error::NotFound`].
pub async fn remove_passkey(app: &App, session: &Session, id: Uuid, device: &Device) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    if !passkeys::remove(&mut tx, user.id, id).await? {
        return Err(Error::NotFound("passkey"));
    }
    if !session.stepped_up {
        return Err(step_up_required().into());
    }
    if !second_factor::is_set_up(&mut tx, user.id).await? {
        if !user.is_member() && app.second_factor == SecondFactor::Required {
            return Err(not_permitted().into());
        }
        recovery_codes::replace(&mut tx, user.id, &[]).await?;
    }
    let now = clock::now(&mut tx).await?;
    safeguards::cool_off(app, &mut tx, user.id, safeguard::Change::Factors, now).await?;
    second_factor::note(&mut tx, &user, Change::PasskeyRemoved, device).await?;
    tx.commit().await?;
    Ok(())
}
