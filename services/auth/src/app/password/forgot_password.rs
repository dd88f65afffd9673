//! ForgotPassword: records a request for a reset link. The account is looked up afterwards, so that every address gets
//! the same response in the same time.

use crate::app::App;
use crate::domain::device::Device;
use crate::domain::email::Email;
use crate::error::Error;
use crate::store::mail_requests::{self, MailRequest, Wanted};

pub async fn forgot_password(app: &App, email: &Email, device: &Device) -> Result<(), Error> {
    let (email, block) = (email.as_str().to_owned(), device.block.clone());
    let request = MailRequest { wanted: Wanted::Reset, email, asker: None, block };
    mail_requests::insert(&mut *app.db.conn().await?, &request).await?;
    app.mail_requested.notify_one();
    Ok(())
}
