//! GetMailSecret: returns the secret of an email, which its event must not contain.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::store::codes::Mailable;
use crate::store::{codes, destination_codes, reset_tokens, security_links};

pub struct MailSecret {
    pub email: String,
    pub name: String,
    /// Six digits, or a link's token.
    pub secret: String,
    pub expires_at: OffsetDateTime,
    /// The link "This was not me" in a mail that has another secret.
    pub link: Option<Link>,
}

/// A link's token.
pub struct Link {
    pub token: String,
    pub expires_at: OffsetDateTime,
}

impl MailSecret {
    fn new(mail: Mailable, secret: String) -> Self {
        Self { email: mail.email, name: mail.name, secret, expires_at: mail.expires_at, link: None }
    }
}

/// The secret while it lives.
///
/// # Errors
/// [`Error::MailOutlived`] once it, or the link of the same mail, is used, superseded or expired.
pub async fn get_mail_secret(app: &App, reference: Uuid) -> Result<MailSecret, Error> {
    let mut conn = app.db.conn().await?;
    if let Some(mail) = codes::mailable(&mut conn, reference.into()).await? {
        return Ok(MailSecret::new(mail, app.secrets.code(reference.into())));
    }
    if let Some(code) = destination_codes::mailable(&mut conn, reference.into()).await? {
        let link = security_links::mailable(&mut conn, code.link_id).await?.ok_or(Error::MailOutlived)?;
        let link = Link { token: app.secrets.security_token(code.link_id), expires_at: link.expires_at };
        return Ok(MailSecret { link: Some(link), ..MailSecret::new(code.mail, app.secrets.code(reference.into())) });
    }
    if let Some(mail) = reset_tokens::mailable(&mut conn, reference).await? {
        return Ok(MailSecret::new(mail, app.secrets.token(reference)));
    }
    let mail = security_links::mailable(&mut conn, reference.into()).await?.ok_or(Error::MailOutlived)?;
    Ok(MailSecret::new(mail, app.secrets.security_token(reference.into())))
}
