//! NoteDestination: a second factor confirmed a payout destination, which takes no code (D-A4, D-A7).

use chassis::destination::ConfirmedDestination;
use chassis::id::{SessionId, UserId};
use chassis::identity::step_up_required;

use crate::app::App;
use crate::app::security::security_log;
use crate::app::session::get_session::get_session;
use crate::domain::security_event::Kind;
use crate::error::Error;

/// Notes it in the member's activity, and returns the signed confirmation.
///
/// # Errors
/// Forbidden (`STEP_UP_REQUIRED`) unless this is a live session of the member in which a proven factor is fresh.
pub async fn note_destination(
    app: &App,
    (user_id, session_id): (UserId, SessionId),
    destination: &[u8],
) -> Result<String, Error> {
    let found = get_session(app, session_id).await?;
    let found = found.filter(|found| found.session.user_id == user_id && found.session.factor_proven);
    let found = found.ok_or_else(step_up_required)?;
    let mut tx = app.db.begin().await?;
    let done = Kind::DestinationConfirmed;
    security_log::done(&mut tx, (user_id, found.session.role), done, None, found.now).await?;
    tx.commit().await?;
    app.sign(&ConfirmedDestination::new(user_id.assume_member(), destination, "factor", found.now))
}
