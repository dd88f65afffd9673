//! Delivery of emails: to an SMTP relay over pooled connections, or to a folder as `.eml` files.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use lettre::transport::smtp::PoolConfig;
use lettre::{Message, SmtpTransport, Transport as _};
use tokio::sync::oneshot;
use uuid::Uuid;

/// How long one command to the relay may take. Relays look into a message before they take it.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub enum Transport {
    /// An SMTP relay. It is never dropped: that would say QUIT on every pooled connection and wait for the answers,
    /// while a process has ten seconds to end.
    Relay(&'static SmtpTransport),
    Folder(std::sync::Arc<Folder>),
}

#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The relay cannot be reached, or refuses every mail.
    #[error("the relay takes no mail: {0}")]
    Unreachable(String),
    /// The relay asks to try this mail again later (4xx).
    #[error("the relay asks to wait: {0}")]
    Deferred(String),
    /// The relay refuses this mail permanently (5xx).
    #[error("the relay refuses: {0}")]
    Permanent(String),
}

impl Transport {
    /// The relay at a url as lettre reads it, with up to this many connections.
    ///
    /// # Errors
    /// If the URL is malformed.
    pub fn relay(url: &str, connections: u32) -> anyhow::Result<Self> {
        // The url holds a password, and so may the library's message.
        let builder =
            SmtpTransport::from_url(url).map_err(|_| anyhow!("SMTP_URL is not an smtp:// or smtps:// url"))?;
        let pool = PoolConfig::new().max_size(connections);
        let relay = builder.timeout(Some(COMMAND_TIMEOUT)).pool_config(pool).build();
        Ok(Self::Relay(Box::leak(Box::new(relay))))
    }

    /// A folder, made if it is missing.
    ///
    /// # Errors
    /// If it cannot be made or read.
    pub fn folder(path: &Path) -> anyhow::Result<Self> {
        Ok(Self::Folder(std::sync::Arc::new(Folder::open(path)?)))
    }

    /// Sends what `write` makes, and says what the relay answered; a panic while writing or sending is a refusal for ever.
    ///
    /// It runs on a thread of its own: lettre's async transport has no timeouts, and puts a connection back into its
    /// pool in mid-message when a send is dropped. A thread of the runtime would keep the process from ending.
    pub async fn send<W>(&self, name: &'static str, write: W) -> Result<String, SendError>
    where
        W: FnOnce() -> Result<Message, String> + Send + 'static,
    {
        let (done, result) = oneshot::channel();
        let transport = self.clone();
        let spawned = thread::Builder::new().name("send".to_owned()).spawn(move || {
            let sending = AssertUnwindSafe(|| transport.hand_over(name, &write().map_err(SendError::Permanent)?));
            let outcome =
                catch_unwind(sending).unwrap_or_else(|_| Err(SendError::Permanent("it made the sender panic".into())));
            let _ = done.send(outcome);
        });
        if let Err(error) = spawned {
            return Err(SendError::Unreachable(error.to_string()));
        }
        result.await.unwrap_or_else(|_| Err(SendError::Unreachable("the sender ended".to_owned())))
    }

    fn hand_over(&self, name: &str, message: &Message) -> Result<String, SendError> {
        match self {
            Self::Folder(folder) => match folder.write(name, &message.formatted()) {
                Ok(()) => Ok("written to the folder".to_owned()),
                Err(error) => Err(SendError::Unreachable(error.to_string())),
            },
            Self::Relay(relay) => match relay.send(message) {
                Ok(answer) => Ok(format!("{} {}", answer.code(), answer.message().collect::<Vec<_>>().join(" "))),
                Err(error) if error.is_transient() => Err(SendError::Deferred(error.to_string())),
                // Said to everybody, e.g. for a wrong password, it says nothing about this mail.
                Err(error)
                    if (error.is_permanent() || error.is_client()) && !relay.test_connection().unwrap_or(false) =>
                {
                    Err(SendError::Unreachable(error.to_string()))
                }
                Err(error) if error.is_permanent() || error.is_client() => Err(SendError::Permanent(error.to_string())),
                Err(error) => Err(SendError::Unreachable(error.to_string())),
            },
        }
    }
}

/// A folder of mails, numbered in the order of sending.
pub struct Folder {
    path: PathBuf,
    last: AtomicU64,
}

impl Folder {
    fn open(path: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        let mut last = 0;
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name();
            let number = name.to_string_lossy().split('-').next().and_then(|number| number.parse().ok());
            last = last.max(number.unwrap_or_default());
        }
        Ok(Self { path: path.to_owned(), last: AtomicU64::new(last) })
    }

    /// Writes one file under the next free number; a reader sees it whole or not at all.
    fn write(&self, name: &str, message: &[u8]) -> io::Result<()> {
        let draft = self.path.join(format!(".{}", Uuid::new_v4()));
        let mut file = fs::File::create(&draft)?;
        file.write_all(message)?;
        file.sync_all()?;
        loop {
            let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
            // Unlike a rename, a link never takes another mailer's place.
            match fs::hard_link(&draft, self.path.join(format!("{number:06}-{name}.eml"))) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                linked => {
                    fs::remove_file(&draft)?;
                    return linked;
                }
            }
        }
    }
}
