//! EndSession: ends one of the caller's sessions.

use chassis::clock;
use chassis::id::SessionId;
use chassis::identity::Session;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::security_event::Kind;
use crate::error::Error;
use crate::events::published;
use crate::store::sessions;

/// Ends it, and notifies the caches.
///
/// # Errors
/// [`Error::NotFound`] if the caller has no live session with this id.
pub async fn end_session(app: &App, caller: &Session, session_id: SessionId) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    if !sessions::revoke(&mut tx, caller.user_id, session_id, now).await? {
        return Err(Error::NotFound("session"));
    }
    let kind = if session_id == caller.id { Kind::SignOut } else { Kind::SessionEnded };
    security_log::done_in(&mut tx, caller.id, (caller.user_id, caller.role), kind, now).await?;
    published::session_ended(&mut tx, caller.user_id, session_id).await?;
    tx.commit().await?;
    Ok(())
}
