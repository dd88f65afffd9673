//! ConfirmTotp: puts an authenticator in force by its first code, and hands out recovery codes.

use chassis::audit::{self, Act};
use chassis::caller::{Session, Staff, step_up_required};
use chassis::{clock, keys};
use serde_json::json;

use super::{App, SecondFactor, second_factor};
use crate::domain::totp::{PENDING_LIFE, RECOVERY_CHARACTERS, RECOVERY_CODES, Typed, recovery_code, shown};
use crate::error::{Error, unauthenticated};
use crate::store::{authenticators, recovery_codes, sessions, users};

/// Confirms; returns the recovery codes, which are not kept in the clear. The session counts as stepped up from then on.
///
/// # Errors
/// [`Error::WrongTotp`], [`Error::NotFound`] if none waits, Forbidden (`STEP_UP_REQUIRED`), [`Error::TooManyTries`],
/// the database's.
pub async fn confirm_totp(app: &App, session: &Session, code: &str, address: &str) -> Result<Vec<String>, Error> {
    let Ok(Typed::Code(code)) = Typed::parse(code) else { return Err(Error::WrongTotp("code")) };
    second_factor::charge(app, session.user_id).await?;
    let codes = fresh_codes()?;
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, session.user_id).await?.ok_or_else(unauthenticated)?;
    let staff = user.role.map(|role| Staff::new(user.id, role)).ok_or_else(unauthenticated)?;
    let replaces = authenticators::in_force(&mut tx, user.id).await?.is_some();
    if replaces && !session.stepped_up && app.second_factor == SecondFactor::Required {
        return Err(step_up_required().into());
    }
    let pending = authenticators::pending(&mut tx, user.id, now - PENDING_LIFE).await?;
    let pending = pending.ok_or(Error::NotFound("enrolment"))?;
    let step = second_factor::open(app, &user, &pending)?.step_of(&code, now).ok_or(Error::WrongTotp("code"))?;
    authenticators::confirm(&mut tx, user.id, pending.id, step, now).await?;
    let hashes: Vec<_> = codes.iter().map(|code| app.secrets.recovery_hash(user.id, code)).collect();
    recovery_codes::replace(&mut tx, user.id, &hashes).await?;
    sessions::step_up(&mut tx, session.id, now).await?;
    second_factor::acquit(&mut tx, user.id).await?;
    let act = Act {
        staff: &staff,
        action: "staff.enrol_totp",
        subject_id: user.id.to_string(),
        member_id: None,
        before: Some(json!({ "enrolled": replaces })),
        after: Some(json!({ "enrolled": true })),
        address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(codes.iter().map(|code| shown(code)).collect())
}

fn fresh_codes() -> Result<Vec<String>, Error> {
    let random = || keys::random::<RECOVERY_CHARACTERS>().map_err(|error| Error::Cryptography(error.to_string()));
    (0..RECOVERY_CODES).map(|_| random().map(recovery_code)).collect()
}
