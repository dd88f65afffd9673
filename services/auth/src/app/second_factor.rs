//! A step of several use cases: taking a second factor, in their transaction. A try is counted, and the count committed,
//! before it (see [`charge`]), so that concurrency gains nothing.

use chassis::audit::{self, Act};
use chassis::caller::{Staff, must_enrol_totp};
use chassis::db::PgConnection;
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use super::App;
use crate::domain::throttle::Counter;
use crate::domain::totp::{Authenticator, Typed};
use crate::domain::user::User;
use crate::error::Error;
use crate::store::authenticators::Kept;
use crate::store::{authenticators, login_throttles, recovery_codes};

/// Counts a try.
///
/// # Errors
/// [`Error::TooManyTries`], the database's.
pub async fn charge(app: &App, user_id: Uuid) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    if let Some(wait) = login_throttles::charge(&mut tx, &Counter::second_factor(user_id)).await? {
        return Err(Error::TooManyTries(wait));
    }
    tx.commit().await?;
    Ok(())
}

/// Forgets the tries, in the transaction of the one that was right.
///
/// # Errors
/// The database's.
pub async fn acquit(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    Ok(login_throttles::clear(conn, &Counter::second_factor(user_id)).await?)
}

/// A second factor as it was given.
pub struct Given<'a> {
    /// What was typed.
    pub typed: &'a Typed,
    /// In which field.
    pub field: &'static str,
    /// From which client address.
    pub address: &'a str,
    /// When.
    pub now: OffsetDateTime,
}

/// Takes a code, or a recovery code, once. A recovery code leaves a row in the trail. The caller holds the account's
/// lock and has counted the try.
///
/// # Errors
/// [`Error::WrongTotp`] at the field, Forbidden (`TOTP_ENROLMENT_REQUIRED`) without authenticator, the database's.
pub async fn take(app: &App, conn: &mut PgConnection, user: &User, given: &Given<'_>) -> Result<(), Error> {
    let kept = authenticators::in_force(&mut *conn, user.id).await?.ok_or_else(must_enrol_totp)?;
    let taken = match given.typed {
        Typed::Code(code) => match open(app, user, &kept)?.step_of(code, given.now) {
            Some(step) => authenticators::take_step(&mut *conn, kept.id, step).await?,
            None => false,
        },
        Typed::Recovery(code) => {
            let hash = app.secrets.recovery_hash(user.id, code);
            recovery_codes::take(&mut *conn, user.id, &hash, given.now).await?
        }
    };
    let staff = user.role.filter(|_| taken).map(|role| Staff::new(user.id, role));
    let staff = staff.ok_or(Error::WrongTotp(given.field))?;
    if matches!(given.typed, Typed::Recovery(_)) {
        let act = Act {
            staff: &staff,
            action: "staff.recovery_code",
            subject_id: user.id.to_string(),
            member_id: None,
            before: None,
            after: Some(json!({ "left": recovery_codes::left(&mut *conn, user.id).await? })),
            address: given.address,
        };
        audit::append(&mut *conn, act).await?;
    }
    acquit(conn, user.id).await
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
