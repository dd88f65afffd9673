//! The emails of a stack without an SMTP server: one `.eml` file per email, named in order of sending.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use mail_parser::MessageParser;
use tokio::time::{Instant, sleep};

const LIMIT: Duration = Duration::from_secs(20);

/// A decoded email.
#[derive(Clone, Debug)]
pub struct Mail {
    pub path: PathBuf,
    /// The first recipient.
    pub to: String,
    pub subject: String,
    /// The text part.
    pub text: String,
    pub message_id: String,
}

/// All mails so far, oldest first.
///
/// # Errors
/// When the folder cannot be read, or a file is no mail.
pub fn read(folder: &Path) -> Result<Vec<Mail>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "eml"))
        .collect();
    paths.sort();
    paths.into_iter().map(parse).collect()
}

/// Waits until a mail to `email` satisfies `wanted`, and returns the newest such.
///
/// # Errors
/// When none arrives in time; lists the emails that did.
pub async fn wait_for(folder: &Path, email: &str, wanted: impl Fn(&Mail) -> bool) -> Result<Mail> {
    let limit = Instant::now() + LIMIT;
    loop {
        let mails: Vec<Mail> = read(folder)?.into_iter().filter(|mail| mail.to == email).collect();
        if let Some(mail) = mails.iter().rev().find(|mail| wanted(mail)) {
            return Ok(mail.clone());
        }
        if Instant::now() > limit {
            let subjects: Vec<_> = mails.into_iter().map(|mail| mail.subject).collect();
            bail!("no such mail to {email} in time, only {subjects:?}");
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// Waits for a verification code to `email`, and returns the newest.
///
/// # Errors
/// When none comes in time.
pub async fn wait_for_code(folder: &Path, email: &str) -> Result<String> {
    let mail = wait_for(folder, email, |mail| mail.code().is_some()).await?;
    mail.code().context("just seen")
}

/// Waits for a link to this page of the app in a mail to `email`, and returns the secret of the newest.
///
/// # Errors
/// When none comes in time.
pub async fn wait_for_secret(folder: &Path, email: &str, page: &str) -> Result<String> {
    let mail = wait_for(folder, email, |mail| mail.secret(page).is_some()).await?;
    mail.secret(page).context("just seen")
}

/// Waits for the code that confirms the payout address `address`, sent to `email`.
///
/// # Errors
/// When none comes in time.
pub async fn wait_for_destination_code(folder: &Path, email: &str, address: &str) -> Result<String> {
    let asks = |mail: &Mail| mail.subject == "Confirm your payout address" && mail.text.contains(address);
    wait_for(folder, email, asks).await?.code().context("a code")
}

// === impl Mail ===

impl Mail {
    /// The first separate six-digit number in the text; a reference such as `TNX-123456` does not count.
    #[must_use]
    pub fn code(&self) -> Option<String> {
        self.text
            .split(|character: char| !character.is_ascii_alphanumeric() && character != '-')
            .find(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit()))
            .map(str::to_owned)
    }

    /// The secret of a link to this page of the app: what follows `#token=`, without the email that may follow it.
    #[must_use]
    pub fn secret(&self, page: &str) -> Option<String> {
        let (_, rest) = self.text.split_once(&format!("{page}#token="))?;
        rest.split(|letter: char| letter.is_whitespace() || letter == '&').next().map(str::to_owned)
    }
}

fn parse(path: PathBuf) -> Result<Mail> {
    let bytes = fs::read(&path)?;
    let message = MessageParser::default().parse(&bytes).with_context(|| format!("{} is no mail", path.display()))?;
    let to = message.to().and_then(|to| to.first()).and_then(|address| address.address());
    Ok(Mail {
        to: to.unwrap_or_default().to_owned(),
        subject: message.subject().unwrap_or_default().to_owned(),
        text: message.body_text(0).unwrap_or_default().into_owned(),
        message_id: message.message_id().unwrap_or_default().to_owned(),
        path,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "From: Solvane <no-reply@solvane.test>\r\nTo: Ada <ada@example.test>\r\nSubject: =?utf-8?q?Your_code?=\r\n\
        Message-ID: <1@solvane.test>\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
        Your code is 012345=2E It lives until 2026.\r\n";

    #[test]
    fn a_mail_is_decoded_and_its_code_found() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("000001.eml"), MAIL).expect("written");
        fs::write(folder.path().join("000002.tmp"), "half").expect("written");
        let mails = read(folder.path()).expect("read");
        assert_eq!(mails.len(), 1);
        assert_eq!((mails[0].to.as_str(), mails[0].subject.as_str()), ("ada@example.test", "Your code"));
        assert_eq!(mails[0].code().as_deref(), Some("012345"));
    }
}
