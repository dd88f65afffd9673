//! GetSession, GetSessions: return the current state of sessions. A lookup counts as use of the session.

use chassis::id::SessionId;
use std::collections::HashMap;

use chassis::identity::Session;
use time::OffsetDateTime;

use crate::app::{App, MOST_IDS, SecondFactor};
use crate::domain::second_factor::SteppedUp;
use crate::domain::totp::STEP_UP_LIFE;
use crate::domain::{session, user};
use crate::error::Error;
use crate::store::sessions::{self, Live};

pub struct Found {
    /// As every service knows it.
    pub session: Session,
    /// The second factor that was last given.
    pub stepped_up: Option<SteppedUp>,
    /// When it ends unless used.
    pub ends: OffsetDateTime,
    /// The moment of the answer.
    pub now: OffsetDateTime,
}

/// The live session with this id; `None` if there is none.
pub async fn get_session(app: &App, id: SessionId) -> Result<Option<Found>, Error> {
    Ok(get_sessions(app, &[id]).await?.pop())
}

/// The live sessions among these.
///
/// # Errors
/// Wrong fields if too many are asked for.
pub async fn get_sessions(app: &App, ids: &[SessionId]) -> Result<Vec<Found>, Error> {
    if ids.len() > MOST_IDS {
        return Err(Error::field("sessionIds", "At most 500 sessions can be requested at once"));
    }
    let mut conn = app.db.conn().await?;
    let live = sessions::live(&mut conn, ids).await?;
    let used = live.iter().filter(|live| live.now - live.last_seen_at >= session::NOTED_EVERY);
    let used: Vec<_> = used.map(|live| (live.id, live.now + session::idle(live.role))).collect();
    if let (Some(live), false) = (live.first(), used.is_empty()) {
        sessions::touch(&mut conn, &used, live.now).await?;
    }
    let ends: HashMap<SessionId, OffsetDateTime> = used.into_iter().collect();
    Ok(live.into_iter().map(|live| found(app, ends.get(&live.id).copied(), live)).collect())
}

fn found(app: &App, ends: Option<OffsetDateTime>, live: Live) -> Found {
    let is_staff = live.role.is_some();
    let is_waived = is_staff && app.second_factor == SecondFactor::Waived;
    let fresh = live.stepped_up.filter(|given| given.at + STEP_UP_LIFE > live.now);
    let session = Session {
        id: live.id,
        user_id: live.user_id,
        verified: live.verified,
        frozen: live.frozen,
        role: live.role,
        stepped_up: is_waived || fresh.is_some(),
        has_factor: live.enrolled,
        factor_proven: !live.frozen && fresh.is_some_and(|given| given.proves_at(live.now, app.cooling_off)),
        must_enrol: is_staff && !is_waived && !live.enrolled,
        decides_from: decides_from(app, &live),
    };
    Found { session, stepped_up: live.stepped_up, ends: ends.unwrap_or(live.idle_until), now: live.now }
}

/// From when on new staff may decide; `None` if they may now.
fn decides_from(app: &App, live: &Live) -> Option<OffsetDateTime> {
    let waits = live.role.is_some_and(user::waits_before_deciding);
    waits.then_some(live.role_since + app.new_staff_wait).filter(|at| *at > live.now)
}
