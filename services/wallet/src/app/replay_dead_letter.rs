//! Staff lets an event take effect after all.

use chassis::bus::Handler;
use chassis::caller::Staff;
use chassis::db::Db;
use chassis::dead_letter;

use crate::error::Error;

/// Gives the event to the handler once more.
///
/// # Errors
/// NotFound, Conflict if it is still of no use, Unavailable, the database's.
pub async fn replay_dead_letter(
    db: &Db,
    handler: &dyn Handler,
    id: &str,
    staff: &Staff,
    client_address: &str,
) -> Result<(), Error> {
    dead_letter::replay(db, handler, id, staff, client_address).await
}
