//! CheckDestinationCode: verifies the code that a member entered for a destination (D-A4).

use uuid::Uuid;

use super::{App, security_log};
use crate::error::Error;
use crate::store::destination_codes;

/// Uses the code up. The submission is counted, and the count committed, before the comparison, so that there are five
/// however many come at once. The right code is right again while it lives: the caller may have lost the answer.
///
/// # Errors
/// [`Error::WrongDestinationCode`] if it is wrong, used up or expired.
pub async fn check_destination_code(app: &App, user_id: Uuid, destination: &[u8], code: &str) -> Result<(), Error> {
    let checked = check(app, user_id, destination, code).await;
    checked.inspect_err(|error| security_log::email_code(error, Some(user_id), None))
}

async fn check(app: &App, user_id: Uuid, destination: &[u8], code: &str) -> Result<(), Error> {
    let mut conn = app.db.conn().await?;
    let tried = destination_codes::count_attempt(&mut conn, user_id, destination).await?;
    let right = tried.filter(|id| app.secrets.is_code(*id, code)).ok_or(Error::WrongDestinationCode)?;
    let used = destination_codes::consume(&mut conn, right).await?;
    if used { Ok(()) } else { Err(Error::WrongDestinationCode) }
}
