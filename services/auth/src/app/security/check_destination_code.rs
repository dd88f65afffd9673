//! CheckDestinationCode: verifies the code that a member entered for a destination (D-A4), and signs that.

use chassis::clock;
use chassis::destination::ConfirmedDestination;
use chassis::id::UserId;

use crate::app::App;
use crate::app::security::security_log;
use crate::domain::security_event::Kind;
use crate::error::Error;
use crate::store::destination_codes;

/// Uses the code up. The submission is counted, and the count committed, before the comparison, so that there are five
/// however many come at once. The right code is right again while it lives: the caller may have lost the answer. Returns the
/// signed confirmation.
///
/// # Errors
/// [`Error::WrongDestinationCode`] if it is wrong, used up or expired.
pub async fn check_destination_code(
    app: &App,
    user_id: UserId,
    destination: &[u8],
    code: &str,
) -> Result<String, Error> {
    let checked = check(app, user_id, destination, code).await;
    checked.inspect_err(|error| security_log::email_code(error, Some(user_id), None))
}

async fn check(app: &App, user_id: UserId, destination: &[u8], code: &str) -> Result<String, Error> {
    let tried = destination_codes::count_attempt(&mut *app.db.conn().await?, user_id, destination).await?;
    let right = tried.filter(|id| app.secrets.is_code(*id, code)).ok_or(Error::WrongDestinationCode)?;
    let mut tx = app.db.begin().await?;
    let is_first = destination_codes::consume(&mut tx, right).await?.ok_or(Error::WrongDestinationCode)?;
    let now = clock::now(&mut tx).await?;
    if is_first {
        security_log::done(&mut tx, (user_id, None), Kind::DestinationConfirmed, None, now).await?;
    }
    tx.commit().await?;
    app.sign(&ConfirmedDestination::new(user_id.assume_member(), destination, "code", now))
}
