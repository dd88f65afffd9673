//! Logout: ends the caller's own session.

use chassis::identity::Session;

use crate::app::App;
use crate::app::session::end_session::end_session;
use crate::error::Error;

/// Ends it. One that another call ended meanwhile is ended as well.
pub async fn logout(app: &App, session: &Session) -> Result<(), Error> {
    match end_session(app, session, session.id).await {
        Ok(()) | Err(Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
