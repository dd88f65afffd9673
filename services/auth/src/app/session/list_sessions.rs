//! ListSessions: the caller's live sessions.

use chassis::id::UserId;

use crate::app::App;
use crate::domain::session::Session;
use crate::error::Error;
use crate::store::sessions;

/// Newest use first.
pub async fn list_sessions(app: &App, user_id: UserId) -> Result<Vec<Session>, Error> {
    Ok(sessions::of_user(&mut *app.db.conn().await?, user_id).await?)
}
