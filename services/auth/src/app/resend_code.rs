//! ResendCode: notes the wish for a new code. Who it belongs to is looked up afterwards, so that every address gets the
//! same answer in the same time.

use super::App;
use crate::domain::email::Email;
use crate::error::Error;
use crate::store::mail_requests::{self, Wanted};

/// Notes it.
///
/// # Errors
/// The database's.
pub async fn resend_code(app: &App, email: &Email) -> Result<(), Error> {
    mail_requests::insert(&mut *app.db.conn().await?, Wanted::Code, email.as_str()).await?;
    app.mail_requested.notify_one();
    Ok(())
}
