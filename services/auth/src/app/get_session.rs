//! GetSession: the state of a session now. To ask for it is to use it.

use chassis::caller::Session;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{App, SecondFactor};
use crate::domain::session;
use crate::error::Error;
use crate::store::sessions;

/// The live session with this id, and when it ends unless used; `None` if there is none.
///
/// # Errors
/// The database's.
pub async fn get_session(app: &App, id: Uuid) -> Result<Option<(Session, OffsetDateTime)>, Error> {
    let mut conn = app.db.conn().await?;
    let Some(live) = sessions::live(&mut conn, id).await? else { return Ok(None) };
    let mut ends = live.idle_until;
    if live.now - live.last_seen_at >= session::NOTED_EVERY {
        ends = live.now + session::idle(live.role);
        sessions::touch(&mut conn, id, live.now, ends).await?;
    }
    let stepped_up_at = match (app.second_factor, live.role) {
        (SecondFactor::Waived, Some(_)) => Some(live.now),
        _ => live.stepped_up_at,
    };
    let session = Session {
        id: live.id,
        user_id: live.user_id,
        verified: live.verified,
        frozen: live.frozen,
        role: live.role,
        stepped_up_at,
    };
    Ok(Some((session, ends)))
}
