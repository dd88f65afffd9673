//! GetSession: the state of a session now. To ask for it is to use it.

use chassis::caller::Session;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{App, SecondFactor};
use crate::domain::session;
use crate::domain::totp::STEP_UP_LIFE;
use crate::error::Error;
use crate::store::sessions;

/// A live session.
pub struct Found {
    /// As every service knows it.
    pub session: Session,
    /// When a second factor was last given.
    pub stepped_up_at: Option<OffsetDateTime>,
    /// When it ends unless used.
    pub ends: OffsetDateTime,
}

/// The live session with this id; `None` if there is none.
///
/// # Errors
/// The database's.
pub async fn get_session(app: &App, id: Uuid) -> Result<Option<Found>, Error> {
    let mut conn = app.db.conn().await?;
    let Some(live) = sessions::live(&mut conn, id).await? else { return Ok(None) };
    let mut ends = live.idle_until;
    if live.now - live.last_seen_at >= session::NOTED_EVERY {
        ends = live.now + session::idle(live.role);
        sessions::touch(&mut conn, id, live.now, ends).await?;
    }
    let is_staff = live.role.is_some();
    let is_waived = is_staff && app.second_factor == SecondFactor::Waived;
    let session = Session {
        id: live.id,
        user_id: live.user_id,
        verified: live.verified,
        frozen: live.frozen,
        role: live.role,
        stepped_up: is_waived || live.stepped_up_at.is_some_and(|at| at + STEP_UP_LIFE > live.now),
        must_enrol: is_staff && !is_waived && !live.enrolled,
    };
    Ok(Some(Found { session, stepped_up_at: live.stepped_up_at, ends }))
}
