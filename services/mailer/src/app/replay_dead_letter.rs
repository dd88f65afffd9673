//! Replays an unprocessable event for staff.

use chassis::bus::Handler;
use chassis::db::Db;
use chassis::dead_letter::{self, Replay};
use chassis::idempotency::Answer;

use crate::error::Error;

/// Gives the event to the handler once more.
///
/// # Errors
/// NotFound, Conflict if it is still of no use, Unavailable.
pub async fn replay_dead_letter(db: &Db, handler: &dyn Handler, replay: &Replay) -> Result<Answer<()>, Error> {
    dead_letter::replay(db, handler, replay).await
}
