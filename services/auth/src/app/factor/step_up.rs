//! StepUp: verifies a second factor again, for operations that need a fresh one.

use chassis::clock;
use chassis::identity::Session;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::factor::second_factor::Given;
use crate::app::security::security_log;
use crate::domain::device::Device;
use crate::domain::passkey::Ceremony;
use crate::domain::second_factor::SteppedUp;
use crate::domain::security_event::Kind;
use crate::domain::totp::{STEP_UP_LIFE, Typed};
use crate::error::{Error, unauthenticated};
use crate::passkeys::Answer;
use crate::secrets::Secrets;
use crate::store::{decision_signatures, sessions, users};

/// A second factor as it came.
pub enum Factor {
    /// A code, or a recovery code, typed in this field.
    Typed(&'static str, Typed),
    /// A passkey, which may sign a decision of staff, too.
    Passkey(Box<Answer>),
}

/// Takes a second factor; returns until when it counts.
///
/// # Errors
/// [`Error::WrongTotp`], [`Error::PasskeyRefused`], [`Error::TooManyTries`], [`Error::FactorLocked`], Forbidden
/// (`TOTP_ENROLMENT_REQUIRED`) without one.
pub async fn step_up(app: &App, session: &Session, factor: &Factor, device: &Device) -> Result<OffsetDateTime, Error> {
    let caller = Some((session.user_id, session.role));
    second_factor::charge(app, session)
        .await
        .inspect_err(|error| security_log::throttled(error, caller, Kind::StepUp, Some(device)))?;
    let taken = take(app, session, factor, device).await;
    if let Err(Error::WrongTotp(_) | Error::PasskeyRefused(_)) = &taken {
        security_log::refused_in(&app.db, session.id, session.user_id, Kind::StepUp).await?;
    }
    taken
}

async fn take(app: &App, session: &Session, factor: &Factor, device: &Device) -> Result<OffsetDateTime, Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    let given = match factor {
        Factor::Typed(field, typed) => {
            second_factor::take(app, &mut tx, &user, &Given { typed, field, device, now }).await?
        }
        Factor::Passkey(answer) => {
            let digest = Secrets::digest_of(answer.challenge());
            let ceremony = match digest {
                Some(digest) => Ceremony::Decision(session.id, digest),
                None => Ceremony::StepUp(session.id),
            };
            let passkey = second_factor::take_passkey(app, &mut tx, (&user, answer), (ceremony, device, now)).await?;
            if let Some(digest) = digest {
                let signed = answer.signed_by(&passkey)?;
                decision_signatures::insert(&mut tx, session.id, &digest, &signed, now).await?;
            }
            SteppedUp::by_passkey(passkey.created_at, now)
        }
    };
    sessions::step_up(&mut tx, session.id, given).await?;
    security_log::done(&mut tx, (user.id, user.role), Kind::StepUp, Some(device), now).await?;
    tx.commit().await?;
    Ok(now + STEP_UP_LIFE)
}
