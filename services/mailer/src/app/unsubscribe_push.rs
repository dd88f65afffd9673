//! Sends no more notices to the device of a session.

use chassis::db::Db;
use chassis::id::SessionId;

use crate::error::Error;
use crate::store::push_subscriptions;

/// Forgets the subscription of the session, with the notices on their way.
///
/// # Errors
/// If the database cannot be reached.
pub async fn unsubscribe_push(db: &Db, session_id: SessionId) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    push_subscriptions::end(&mut tx, &[session_id]).await?;
    tx.commit().await?;
    Ok(())
}
