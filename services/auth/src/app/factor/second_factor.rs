//! A step of several use cases: verifying a second factor, in their transaction. The attempt is counted and committed
//! before it (see [`charge`]), so that concurrency gains nothing.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::UserId;
use chassis::identity::{Role, Session, Staff, must_enrol_totp, not_permitted};
use serde_json::json;
use strum::{IntoStaticStr, VariantArray};
use time::OffsetDateTime;

use crate::app::security::{safeguards, security_log};
use crate::app::{App, SecondFactor};
use crate::domain::device::Device;
use crate::domain::passkey::{CHALLENGE_LIFE, Ceremony, Passkey};
use crate::domain::safeguard;
use crate::domain::second_factor::{Change, SteppedUp};
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose;
use crate::domain::throttle::Counter;
use crate::domain::totp::{Authenticator, RESET_DELAY, Typed};
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::passkeys::Answer;
use crate::store::authenticators::{InForce, Kept};
use crate::store::{
    authenticators, factor_resets, login_throttles, passkeys, recovery_codes, security_links, used_challenges,
};

/// Longer than any delay between two tries; after it, the tries are forgotten.
const LONGEST_DELAY: std::time::Duration = std::time::Duration::from_secs(30);

/// How a try ended, as the metric has it.
#[derive(Debug, Clone, Copy, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
enum Outcome {
    Right,
    Wrong,
    Throttled,
    Locked,
}

impl Outcome {
    fn tell(self, role: Option<Role>, times: u64) {
        let caller = if role.is_some() { "staff" } else { "member" };
        metrics::counter!("second_factor_tries_total", "caller" => caller, "outcome" => self.into_str())
            .increment(times);
    }
}

/// Shows the metric before the first try, so that an alert sees that one too.
pub fn announce() {
    for outcome in Outcome::VARIANTS {
        outcome.tell(None, 0);
        outcome.tell(Some(Role::Admin), 0);
    }
}

/// Counts a try inside a session.
///
/// # Errors
/// [`Error::TooManyTries`]; [`Error::FactorLocked`] after 20 wrong codes in a row.
pub async fn charge(app: &App, session: &Session) -> Result<(), Error> {
    charge_for(app, session.user_id, session.role).await
}

/// Counts a try of an account.
///
/// # Errors
/// [`Error::TooManyTries`]; [`Error::FactorLocked`] after 20 wrong codes in a row.
pub async fn charge_for(app: &App, user_id: UserId, role: Option<Role>) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    if let Some(wait) = login_throttles::charge(&mut tx, &Counter::second_factor(user_id)).await? {
        let is_locked = wait > LONGEST_DELAY;
        let outcome = if is_locked { Outcome::Locked } else { Outcome::Throttled };
        outcome.tell(role, 1);
        return Err(if is_locked { Error::FactorLocked(wait) } else { Error::TooManyTries(wait) });
    }
    tx.commit().await?;
    Ok(())
}

/// Forgets the tries, in the transaction of the one that was right.
pub async fn acquit(conn: &mut PgConnection, user_id: UserId) -> Result<(), Error> {
    Ok(login_throttles::clear(conn, &Counter::second_factor(user_id)).await?)
}

/// Whether an account has a second factor.
pub async fn is_set_up(conn: &mut PgConnection, user_id: UserId) -> Result<bool, Error> {
    let has_authenticator = authenticators::in_force(&mut *conn, user_id).await?.is_some();
    Ok(has_authenticator || passkeys::count(conn, user_id).await? > 0)
}

/// A second factor as it was given.
pub struct Given<'a> {
    pub typed: &'a Typed,
    /// In which field.
    pub field: &'static str,
    pub device: &'a Device,
    pub now: OffsetDateTime,
}

/// Takes a code, or a recovery code, once; returns it as given. Its owner is mailed about a recovery code, which of staff
/// leaves a row in the trail too. The caller holds the account's lock and has counted the try.
///
/// # Errors
/// [`Error::WrongTotp`] at the field, Forbidden (`TOTP_ENROLMENT_REQUIRED`) without a second factor.
pub async fn take(app: &App, conn: &mut PgConnection, user: &User, given: &Given<'_>) -> Result<SteppedUp, Error> {
    let in_force = authenticators::in_force(&mut *conn, user.id).await?;
    if in_force.is_none() && passkeys::count(&mut *conn, user.id).await? == 0 {
        return Err(must_enrol_totp().into());
    }
    let taken = match given.typed {
        Typed::Code(code) => match in_force {
            Some(InForce { kept, since }) => {
                take_code(app, &mut *conn, (user, &kept), (code, given.now)).await?.then_some(since)
            }
            None => None,
        },
        Typed::Recovery(code) => {
            let hash = app.secrets.recovery_hash(user.id, code);
            recovery_codes::take(&mut *conn, user.id, &hash, given.now).await?
        }
    };
    let Some(since) = taken else {
        was_wrong(user, given.device);
        return Err(Error::WrongTotp(given.field));
    };
    if matches!(given.typed, Typed::Recovery(_)) {
        note(&mut *conn, user, Change::RecoveryCodeUsed, given.device).await?;
    }
    let given_now = SteppedUp::by_code(since, given.now);
    was_right(app, conn, user, (&given_now, given.device)).await?;
    Ok(given_now)
}

async fn take_code(
    app: &App,
    conn: &mut PgConnection,
    (user, kept): (&User, &Kept),
    (code, now): (&str, OffsetDateTime),
) -> Result<bool, Error> {
    match open(app, user, kept)?.step_of(code, now) {
        Some(step) => Ok(authenticators::take_step(conn, kept.id, step).await?),
        None => Ok(false),
    }
}

/// Takes the answer of one of the account's passkeys, once; returns the passkey. The caller holds the account's lock and has
/// counted the try.
///
/// # Errors
/// [`Error::PasskeyRefused`].
pub async fn take_passkey(
    app: &App,
    conn: &mut PgConnection,
    (user, answer): (&User, &Answer),
    (ceremony, device, now): (Ceremony, &Device, OffsetDateTime),
) -> Result<Passkey, Error> {
    let taken = check_passkey(app, &mut *conn, (user, answer), (ceremony, now)).await;
    if let Err(Error::PasskeyRefused(cause)) = &taken {
        tracing::info!(user_id = %user.id, %cause, "passkey refused");
        was_wrong(user, device);
    }
    let passkey = taken?;
    was_right(app, conn, user, (&SteppedUp::by_passkey(passkey.created_at, now), device)).await?;
    Ok(passkey)
}

async fn check_passkey(
    app: &App,
    conn: &mut PgConnection,
    (user, answer): (&User, &Answer),
    (ceremony, now): (Ceremony, OffsetDateTime),
) -> Result<Passkey, Error> {
    let refused = |cause: &str| Error::PasskeyRefused(cause.to_owned());
    use_challenge(app, &mut *conn, answer.challenge(), (ceremony, now)).await?;
    let passkey = passkeys::find_by_credential(&mut *conn, answer.credential_id()).await?;
    let passkey = passkey.filter(|passkey| passkey.user_id == user.id);
    let passkey = passkey.ok_or_else(|| refused("the account has no such passkey"))?;
    if answer.user_handle().is_some_and(|handle| handle != user.id.get().as_bytes()) {
        return Err(refused("the answer names another account"));
    }
    let sign_count = app.relying_party.verify(answer, &passkey)?;
    if !passkeys::note_use(conn, passkey.id, sign_count, now).await? {
        let known = passkey.key.sign_count;
        tracing::warn!(user_id = %user.id, passkey_id = %passkey.id, known, sign_count, "the counter of a passkey did not grow: it may have been copied");
        return Err(refused("the signature counter did not grow"));
    }
    Ok(passkey)
}

/// Uses a challenge up, if it is ours for this and young enough.
///
/// # Errors
/// [`Error::PasskeyRefused`].
pub async fn use_challenge(
    app: &App,
    conn: &mut PgConnection,
    challenge: &[u8],
    (ceremony, now): (Ceremony, OffsetDateTime),
) -> Result<(), Error> {
    let refused = |cause: &str| Error::PasskeyRefused(cause.to_owned());
    let (id, at) =
        app.secrets.read_challenge(challenge, ceremony).ok_or_else(|| refused("the challenge is not ours"))?;
    if at + CHALLENGE_LIFE <= now {
        return Err(refused("the challenge is too old"));
    }
    if used_challenges::insert(conn, id, now).await? { Ok(()) } else { Err(refused("the challenge was used before")) }
}

fn was_wrong(user: &User, device: &Device) {
    Outcome::Wrong.tell(user.role, 1);
    if user.role.is_some() {
        let address = &device.address;
        tracing::warn!(user_id = %user.id, %address, "wrong second factor for a staff account");
    }
}

/// Forgets the tries. Anyone who uses a factor has not lost it: that calls a planned removal off. A factor that was set up
/// within the cooling-off before the removal was agreed on may be that of somebody else, who must not keep the owner out; nor
/// does any while the account is frozen (D-M10).
async fn was_right(
    app: &App,
    conn: &mut PgConnection,
    user: &User,
    (given, device): (&SteppedUp, &Device),
) -> Result<(), Error> {
    Outcome::Right.tell(user.role, 1);
    let due_at = factor_resets::due_at(&mut *conn, user.id).await?;
    let is_proven = due_at.is_some_and(|due_at| given.proves_at(due_at - RESET_DELAY, app.cooling_off));
    if is_proven && user.frozen_at.is_none() && call_off_reset(&mut *conn, user.id).await? {
        note(&mut *conn, user, Change::ResetCalledOff, device).await?;
    }
    acquit(conn, user.id).await
}

/// Calls off the planned removal of a member's factors; `false` if none is planned.
pub async fn call_off_reset(conn: &mut PgConnection, user_id: UserId) -> Result<bool, Error> {
    let Some(proposal_id) = factor_resets::call_off(&mut *conn, user_id).await? else { return Ok(false) };
    let after = json!({ "proposalId": proposal_id });
    audit::append_own(conn, "member.factor_reset_called_off", &user_id.to_string(), after).await?;
    Ok(true)
}

/// An authenticator with its secret opened.
///
/// # Errors
/// If it does not open: another key, or a row that was tampered with.
pub fn open(app: &App, user: &User, kept: &Kept) -> Result<Authenticator, Error> {
    let secret = app.totp_key.open(kept.id.as_bytes(), &kept.sealed_secret);
    let secret = secret.map_err(|error| Error::Cryptography(error.to_string()))?;
    Authenticator::new(&secret, &user.email).map_err(Error::Cryptography)
}

/// What the removal of a factor entails: without another one the recovery codes go, payouts cool off, and the owner is
/// mailed.
///
/// # Errors
/// Forbidden if it was the last factor of staff who need one.
pub async fn note_removal(
    app: &App,
    conn: &mut PgConnection,
    user: &User,
    change: Change,
    device: &Device,
) -> Result<(), Error> {
    if !is_set_up(&mut *conn, user.id).await? {
        if !user.is_member() && app.second_factor == SecondFactor::Required {
            return Err(not_permitted().into());
        }
        recovery_codes::replace(&mut *conn, user.id, &[]).await?;
    }
    let now = clock::now(&mut *conn).await?;
    safeguards::cool_off(app, &mut *conn, user.id, safeguard::Change::Factors, now).await?;
    note(conn, user, change, device).await
}

/// Has the owner mailed, and writes what staff did into the trail.
pub async fn note(conn: &mut PgConnection, user: &User, change: Change, device: &Device) -> Result<(), Error> {
    let left = recovery_codes::left(&mut *conn, user.id).await?;
    let now = clock::now(&mut *conn).await?;
    let link = security_links::insert(&mut *conn, (user.id, &user.email), Purpose::NotMe, now).await?;
    published::second_factor_changed(&mut *conn, user.id, (change, left, link), device).await?;
    security_log::done(&mut *conn, (user.id, user.role), Kind::FactorsChanged, Some(device), now).await?;
    let Some(role) = user.role else { return Ok(()) };
    let staff = Staff::new(user.id.assume_staff(), role);
    let enrolled = |enrolled: bool| Some(json!({ "enrolled": enrolled }));
    let (before, after) = match change {
        Change::AuthenticatorAdded => (enrolled(false), enrolled(true)),
        Change::AuthenticatorReplaced => (enrolled(true), enrolled(true)),
        Change::AuthenticatorRemoved | Change::RemovedByStaff => (enrolled(true), enrolled(false)),
        Change::PasskeyAdded | Change::PasskeyRemoved => {
            (None, Some(json!({ "passkeys": passkeys::count(&mut *conn, user.id).await? })))
        }
        Change::RecoveryCodesReplaced | Change::RecoveryCodeUsed | Change::ResetCalledOff => {
            (None, Some(json!({ "left": left })))
        }
    };
    let act = Act {
        staff: &staff,
        action: change.action(),
        subject_id: user.id.to_string(),
        member_id: None,
        before,
        after,
        address: &device.address,
    };
    Ok(audit::append(conn, act).await?)
}
