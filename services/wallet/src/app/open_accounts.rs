//! A member registered: their accounts are made ahead of need.

use chassis::bus::Event;
use chassis::db::Db;
use chassis::inbox;
use uuid::Uuid;

use crate::error::Error;
use crate::posting;

/// Makes the accounts, once an event.
///
/// # Errors
/// The database's.
pub async fn open_accounts(db: &Db, event: &Event, user_id: Uuid) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    if inbox::first_time(&mut tx, event).await? {
        posting::open_accounts(&mut tx, user_id).await?;
        tx.commit().await?;
    }
    Ok(())
}
