//! ConfirmTotp: activates an authenticator with its first code, and returns recovery codes.

use chassis::clock;
use chassis::identity::{Session, step_up_required};

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::security::{recovery, safeguards, security_log};
use crate::domain::device::Device;
use crate::domain::safeguard;
use crate::domain::second_factor::{Change, SteppedUp};
use crate::domain::security_event::Kind;
use crate::domain::totp::{PENDING_LIFE, Typed};
use crate::error::{Error, unauthenticated};
use crate::store::{authenticators, sessions, users};

/// Confirms; returns the recovery codes, which are not kept in the clear. The session counts as stepped up from then on,
/// and no session ends.
///
/// # Errors
/// [`Error::NotFound`] if none waits for confirmation, [`Error::WrongTotp`], [`Error::TooManyTries`],
/// [`Error::FactorLocked`], Forbidden (`STEP_UP_REQUIRED`).
pub async fn confirm_totp(app: &App, session: &Session, code: &str, device: &Device) -> Result<Vec<String>, Error> {
    let Ok(Typed::Code(code)) = Typed::parse(code) else { return Err(Error::WrongTotp("code")) };
    let caller = Some((session.user_id, session.role));
    second_factor::charge(app, session)
        .await
        .inspect_err(|error| security_log::throttled(error, caller, Kind::FactorsChanged, Some(device)))?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    let replaces = authenticators::in_force(&mut tx, user.id).await?.is_some();
    if !session.stepped_up && second_factor::is_set_up(&mut tx, user.id).await? {
        return Err(step_up_required().into());
    }
    let pending = authenticators::pending(&mut tx, user.id, now - PENDING_LIFE).await?;
    let pending = pending.ok_or(Error::NotFound("enrolment"))?;
    let step = second_factor::open(app, &user, &pending)?.step_of(&code, now).ok_or(Error::WrongTotp("code"))?;
    authenticators::confirm(&mut tx, user.id, pending.id, step, now).await?;
    let codes = recovery::replace(app, &mut tx, &user).await?;
    sessions::step_up(&mut tx, session.id, SteppedUp::by_code(now, now)).await?;
    second_factor::acquit(&mut tx, user.id).await?;
    let change = if replaces { Change::AuthenticatorReplaced } else { Change::AuthenticatorAdded };
    safeguards::cool_off(app, &mut tx, user.id, safeguard::Change::Factors, now).await?;
    second_factor::note(&mut tx, &user, change, device).await?;
    tx.commit().await?;
    Ok(codes)
}
