//! GetMailSecret: what a mail says that its event must not.

use time::OffsetDateTime;
use uuid::Uuid;

use super::App;
use crate::error::Error;
use crate::store::{codes, reset_tokens, security_links};

/// To whom, and what.
pub struct MailSecret {
    /// The address.
    pub email: String,
    /// Whom to greet.
    pub name: String,
    /// Six digits, or a link's token.
    pub secret: String,
    /// When it dies.
    pub expires_at: OffsetDateTime,
}

/// The secret while it lives.
///
/// # Errors
/// [`Error::MailOutlived`] once it is used, superseded or expired; the database's.
pub async fn get_mail_secret(app: &App, reference: Uuid) -> Result<MailSecret, Error> {
    let mut conn = app.db.conn().await?;
    if let Some(mail) = codes::mailable(&mut conn, reference).await? {
        let secret = app.secrets.code(reference);
        return Ok(MailSecret { email: mail.email, name: mail.name, secret, expires_at: mail.expires_at });
    }
    if let Some(mail) = reset_tokens::mailable(&mut conn, reference).await? {
        let secret = app.secrets.token(reference);
        return Ok(MailSecret { email: mail.email, name: mail.name, secret, expires_at: mail.expires_at });
    }
    let mail = security_links::mailable(&mut conn, reference).await?.ok_or(Error::MailOutlived)?;
    let secret = app.secrets.security_token(reference);
    Ok(MailSecret { email: mail.email, name: mail.name, secret, expires_at: mail.expires_at })
}
