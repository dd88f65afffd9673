//! ResendCode: records a request for a new code. The account is looked up afterwards, so that every address gets the
//! same response in the same time.

use uuid::Uuid;

use crate::app::App;
use crate::domain::code::Handle;
use crate::domain::device::Device;
use crate::domain::email::Email;
use crate::error::Error;
use crate::store::mail_requests::{self, MailRequest, Wanted};

/// Notes it; returns the handle that the code will belong to: that of the asker, or a new one.
pub async fn resend_code(app: &App, email: &Email, asker: Option<Handle>, device: &Device) -> Result<Handle, Error> {
    let asker = asker.unwrap_or_else(|| Handle::Request(Uuid::new_v4()));
    let (email, block) = (email.as_str().to_owned(), device.block.clone());
    let request = MailRequest { wanted: Wanted::Code, email, asker: Some(asker), block };
    mail_requests::insert(&mut *app.db.conn().await?, &request).await?;
    app.mail_requested.notify_one();
    Ok(asker)
}
