//! A step of several use cases: recording a security event of an account, in a table for its owner and staff, and in a
//! log line and a metric for operators (D-A7, D-A9).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{SessionId, UserId};
use chassis::identity::Role;
use strum::VariantArray;
use time::OffsetDateTime;

use crate::domain::device::Device;
use crate::domain::security_event::{Kind, MAILED_REFUSALS, SESSION_REFUSALS};
use crate::domain::security_link::Purpose;
use crate::domain::session::Session;
use crate::error::Error;
use crate::events::published;
use crate::store::{security_events, security_links, sessions, users};

/// Shows the metric before the first event, so that an alert sees that one too.
pub fn announce() {
    for &kind in Kind::VARIANTS {
        for role in [None, Some(Role::Admin)] {
            count(kind, "done", role, 0);
            count(kind, "refused", role, 0);
            count(kind, "throttled", role, 0);
        }
    }
}

fn count(kind: Kind, outcome: &'static str, role: Option<Role>, times: u64) {
    let caller = if role.is_some() { "staff" } else { "member" };
    metrics::counter!("security_events_total", "kind" => kind.into_str(), "outcome" => outcome, "caller" => caller)
        .increment(times);
}

/// Notes something that was done, in its transaction.
pub async fn done(
    conn: &mut PgConnection,
    (user_id, role): (UserId, Option<Role>),
    kind: Kind,
    device: Option<&Device>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    security_events::insert(conn, user_id, (kind, false), device, now).await?;
    tell(Some(user_id), kind, "done", role, device);
    Ok(())
}

/// The same for what was done in a session, from its device.
pub async fn done_in(
    conn: &mut PgConnection,
    session_id: SessionId,
    (user_id, role): (UserId, Option<Role>),
    kind: Kind,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let session = sessions::find(&mut *conn, session_id).await?;
    let device = session.as_ref().map(device_of);
    done(conn, (user_id, role), kind, device.as_ref(), now).await
}

/// Notes a refusal, in a transaction of its own since that of the try is rolled back. The tenth in a row, wherever they
/// were, has the owner mailed.
pub async fn refused(db: &Db, user_id: UserId, kind: Kind, device: Option<&Device>) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    // Locked, so that two refusals at once are not both the tenth.
    let Some(user) = users::lock(&mut tx, user_id).await? else { return Ok(()) };
    security_events::insert(&mut tx, user.id, (kind, true), device, now).await?;
    if security_events::refusals(&mut tx, user.id).await? == MAILED_REFUSALS {
        published::sign_ins_refused(&mut tx, user.id, MAILED_REFUSALS, (device, None)).await?;
    }
    tx.commit().await?;
    tell(Some(user.id), kind, "refused", user.role, device);
    Ok(())
}

/// The same for a proof that was asked for inside a session. The tenth in a session ends it and has the owner mailed:
/// somebody who is not the owner is in the account.
pub async fn refused_in(db: &Db, session_id: SessionId, user_id: UserId, kind: Kind) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let Some(user) = users::lock(&mut tx, user_id).await? else { return Ok(()) };
    let device = sessions::find(&mut tx, session_id).await?.as_ref().map(device_of);
    let device = device.as_ref();
    security_events::insert(&mut tx, user.id, (kind, true), device, now).await?;
    let in_session = sessions::count_refusal(&mut tx, session_id).await?;
    if in_session >= SESSION_REFUSALS && sessions::revoke(&mut tx, user.id, session_id, now).await? {
        published::session_ended(&mut tx, user.id, session_id).await?;
        done(&mut tx, (user.id, user.role), Kind::SessionEnded, device, now).await?;
        let link = security_links::insert(&mut tx, (user.id, &user.email), Purpose::NotMe, now).await?;
        published::sign_ins_refused(&mut tx, user.id, in_session.into(), (device, Some(link))).await?;
    } else if security_events::refusals(&mut tx, user.id).await? == MAILED_REFUSALS {
        published::sign_ins_refused(&mut tx, user.id, MAILED_REFUSALS, (device, None)).await?;
    }
    tx.commit().await?;
    tell(Some(user.id), kind, "refused", user.role, device);
    Ok(())
}

/// Notes a refused login to this account, or to none, behind the answer: how long that takes does not reveal whether there
/// is one (D-A13).
pub fn refused_behind(db: &Db, user_id: Option<UserId>, device: &Device) {
    let Some(user_id) = user_id else {
        return tell(None, Kind::SignIn, "refused", None, Some(device));
    };
    let (db, device) = (db.clone(), device.clone());
    tokio::spawn(async move {
        if let Err(error) = refused(&db, user_id, Kind::SignIn, Some(&device)).await {
            tracing::warn!(%error, "could not record a refused login");
        }
    });
}

/// Logs and counts a try that a throttle or lock turned away before anything was compared; other errors are not counted.
/// The account gets no row: an attacker could otherwise add rows without limit.
pub fn throttled(error: &Error, user: Option<(UserId, Option<Role>)>, kind: Kind, device: Option<&Device>) {
    if matches!(error, Error::TooManyTries(_) | Error::FactorLocked(_)) {
        tell(user.map(|(id, _)| id), kind, "throttled", user.and_then(|(_, role)| role), device);
    }
}

/// Logs and counts a code from an email that was wrong, or turned away by a throttle; other errors are not counted. Without a
/// row, as [`throttled`].
pub fn email_code(error: &Error, user_id: Option<UserId>, device: Option<&Device>) {
    match error {
        Error::InvalidCode | Error::WrongDestinationCode => tell(user_id, Kind::EmailCode, "refused", None, device),
        error => throttled(error, user_id.map(|id| (id, None)), Kind::EmailCode, device),
    }
}

#[must_use]
pub fn device_of(session: &Session) -> Device {
    Device { family: session.device.clone(), ..Device::of(&session.address, "") }
}

fn tell(user_id: Option<UserId>, kind: Kind, outcome: &'static str, role: Option<Role>, device: Option<&Device>) {
    count(kind, outcome, role, 1);
    tracing::info!(
        target: "security_event",
        kind = kind.into_str(),
        outcome,
        caller = if role.is_some() { "staff" } else { "member" },
        user_id = user_id.map(tracing::field::display),
        device = device.map(|device| device.family.as_str()),
        address = device.map(|device| device.address.as_str()),
        "security event"
    );
}
