//! RemoveTotp: removes the authenticator, and the recovery codes unless a passkey is left.

use chassis::clock;
use chassis::identity::{Session, not_permitted, step_up_required};

use super::{App, SecondFactor, safeguards, second_factor};
use crate::domain::device::Device;
use crate::domain::safeguard;
use crate::domain::second_factor::Change;
use crate::error::{Error, unauthenticated};
use crate::store::{authenticators, passkeys, recovery_codes, users};

/// Removes; no session ends.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`; the last factor of staff who need one), [`Error::NotFound`] without authenticator.
pub async fn remove_totp(app: &App, session: &Session, device: &Device) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    let is_last = passkeys::count(&mut tx, user.id).await? == 0;
    if is_last && !user.is_member() && app.second_factor == SecondFactor::Required {
        return Err(not_permitted().into());
    }
    authenticators::in_force(&mut tx, user.id).await?.ok_or(Error::NotFound("authenticator"))?;
    if !session.stepped_up {
        return Err(step_up_required().into());
    }
    authenticators::forget(&mut tx, user.id).await?;
    if is_last {
        recovery_codes::replace(&mut tx, user.id, &[]).await?;
    }
    let now = clock::now(&mut tx).await?;
    safeguards::cool_off(app, &mut tx, user.id, safeguard::Change::Factors, now).await?;
    second_factor::note(&mut tx, &user, Change::AuthenticatorRemoved, device).await?;
    tx.commit().await?;
    Ok(())
}
