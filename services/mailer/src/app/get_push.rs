//! Reads whether notices go to the device of a session.

use chassis::db::Db;
use chassis::id::SessionId;

use crate::error::Error;
use crate::push::Push;
use crate::store::push_subscriptions;

/// Whether they do: one that was sealed with another secret has ended.
///
/// # Errors
/// If the database cannot be reached.
pub async fn get_push(db: &Db, push: &Push, session_id: SessionId) -> Result<bool, Error> {
    let sealed = push_subscriptions::find(&mut *db.conn().await?, session_id).await?;
    Ok(sealed.is_some_and(|sealed| push.keys.open(session_id, &sealed).is_some()))
}
