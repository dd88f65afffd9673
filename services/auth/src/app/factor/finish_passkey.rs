//! FinishPasskey: adds the passkey that a browser made.

use chassis::clock;
use chassis::identity::{Session, step_up_required};
use uuid::Uuid;

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::security::{recovery, safeguards};
use crate::domain::device::Device;
use crate::domain::passkey::{Ceremony, MOST_PASSKEYS, Passkey};
use crate::domain::safeguard;
use crate::domain::second_factor::{Change, SteppedUp};
use crate::error::{Error, unauthenticated};
use crate::passkeys::NewCredential;
use crate::store::{passkeys, recovery_codes, sessions, users};

/// Adds it under this name; returns it with the recovery codes of an account that had none. The session counts as stepped
/// up from then on, and no session ends.
///
/// # Errors
/// [`Error::PasskeyRefused`], [`Error::TooManyPasskeys`], Forbidden (`STEP_UP_REQUIRED`).
pub async fn finish_passkey(
    app: &App,
    session: &Session,
    (new, name): (&NewCredential, &str),
    device: &Device,
) -> Result<(Passkey, Vec<String>), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    if !session.stepped_up && second_factor::is_set_up(&mut tx, user.id).await? {
        return Err(step_up_required().into());
    }
    second_factor::use_challenge(app, &mut tx, new.challenge(), (Ceremony::Registration(session.id), now)).await?;
    let key = app.relying_party.register(new)?;
    let passkey = Passkey {
        id: Uuid::now_v7().into(),
        user_id: user.id,
        name: name.to_owned(),
        key,
        created_at: now,
        last_used_at: None,
    };
    if passkeys::of_user(&mut tx, user.id).await?.len() >= MOST_PASSKEYS {
        return Err(Error::TooManyPasskeys);
    }
    if !passkeys::insert(&mut tx, &passkey).await? {
        return Err(Error::PasskeyRefused("the credential id is taken".to_owned()));
    }
    let codes = match recovery_codes::left(&mut tx, user.id).await? {
        0 => recovery::replace(app, &mut tx, &user).await?,
        _ => Vec::new(),
    };
    sessions::step_up(&mut tx, session.id, SteppedUp::by_passkey(now, now)).await?;
    safeguards::cool_off(app, &mut tx, user.id, safeguard::Change::Factors, now).await?;
    second_factor::note(&mut tx, &user, Change::PasskeyAdded, device).await?;
    tx.commit().await?;
    Ok((passkey, codes))
}
