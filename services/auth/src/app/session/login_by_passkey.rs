//! LoginByPasskey: opens a session by a passkey, without password.

use chassis::clock;

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::security::security_log;
use crate::app::session::opening::{self, SignedIn};
use crate::domain::device::Device;
use crate::domain::passkey::{Ceremony, Passkey};
use crate::domain::second_factor::SteppedUp;
use crate::domain::security_event::Kind;
use crate::domain::throttle::Counter;
use crate::domain::user::User;
use crate::error::Error;
use crate::passkeys::Answer;
use crate::store::{login_throttles, passkeys, users};

/// Logs in; the passkey counts as a second factor given now. The try is counted, and the count committed, before anything
/// is verified: by the passkey, or by the address if no account has it. The counters of passwords stay untouched: a
/// signature cannot be guessed, and strangers would lock the owner out.
///
/// # Errors
/// [`Error::PasskeyRefused`], [`Error::TooManyTries`].
pub async fn login_by_passkey(app: &App, answer: &Answer, device: &Device) -> Result<SignedIn, Error> {
    let _turn = app.sign_ins.acquire().await;
    let mut conn = app.db.conn().await?;
    let passkey = passkeys::find_by_credential(&mut conn, answer.credential_id()).await?;
    let counter = passkey.as_ref().map_or_else(|| Counter::address(device), |passkey| Counter::passkey(passkey.id));
    let wait = login_throttles::charge(&mut conn, &counter).await?;
    drop(conn);
    if let Some(wait) = wait {
        let error = Error::TooManyTries(wait);
        security_log::throttled(&error, None, Kind::SignIn, Some(device));
        return Err(error);
    }
    let user_id = passkey.as_ref().map(|passkey| passkey.user_id);
    let opened = match passkey {
        Some(passkey) => open(app, &passkey, answer, device).await,
        None => Err(Error::PasskeyRefused("the passkey is unknown".to_owned())),
    };
    if let Err(Error::PasskeyRefused(_)) = &opened {
        security_log::refused_behind(&app.db, user_id, device);
    }
    opened
}

async fn open(app: &App, passkey: &Passkey, answer: &Answer, device: &Device) -> Result<SignedIn, Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let refused = |cause: &str| Error::PasskeyRefused(cause.to_owned());
    let user = users::lock(&mut tx, passkey.user_id).await?.filter(User::is_open);
    let user = user.ok_or_else(|| refused("the account has ended"))?;
    if answer.user_handle().is_none() {
        return Err(refused("the answer names no account"));
    }
    let used = second_factor::take_passkey(app, &mut tx, (&user, answer), (Ceremony::SignIn, device, now)).await?;
    let given = SteppedUp::by_passkey(used.created_at, now);
    let session = opening::session(&mut tx, &user, device, Some(given), now).await?;
    login_throttles::clear(&mut tx, &Counter::passkey(passkey.id)).await?;
    let token = app.tokens.issue(&session, now)?;
    tx.commit().await?;
    Ok(SignedIn { user, token })
}
