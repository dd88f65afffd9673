//! NoteDestination: a second factor confirmed a payout destination, which takes no code (D-A4, D-A7).

use chassis::clock;
use uuid::Uuid;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::security_event::Kind;
use crate::error::Error;
use crate::store::users;

/// # Errors
/// [`Error::NotFound`].
pub async fn note_destination(app: &App, user_id: Uuid) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::find(&mut tx, user_id).await?.ok_or(Error::NotFound("account"))?;
    security_log::done(&mut tx, (user.id, user.role), Kind::DestinationConfirmed, None, now).await?;
    tx.commit().await?;
    Ok(())
}
