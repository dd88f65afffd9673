//! EndSession: ends one of the caller's sessions.

use chassis::clock;
use uuid::Uuid;

use super::App;
use crate::error::Error;
use crate::events::published;
use crate::store::sessions;

/// Ends it, and has caches told.
///
/// # Errors
/// [`Error::NotFound`], the database's.
pub async fn end_session(app: &App, user_id: Uuid, session_id: Uuid) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    if !sessions::revoke(&mut tx, user_id, session_id, now).await? {
        return Err(Error::NotFound("session"));
    }
    published::session_ended(&mut tx, user_id, &[session_id]).await?;
    tx.commit().await?;
    Ok(())
}
