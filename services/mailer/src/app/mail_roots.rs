//! Emails the newest signed roots of all services to the auditors once a day, because someone who can rewrite a
//! database and the store of its roots cannot rewrite a mailbox.

use std::sync::Arc;
use std::time::Duration;

use chassis::clock;
use chassis::db::Db;
use chassis::roots::{self, Signed};
use object_store::ObjectStore;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::clients::Directory;
use crate::domain::mail::{Audience, MailRequest};
use crate::domain::template::Template;
use crate::store::mails;

/// How often it is looked whether today's mail is queued.
const EVERY: Duration = Duration::from_secs(600);
/// The first half of the id under which a day's mails are queued once; no event has one like it.
const EVENTS: u64 = u64::from_be_bytes(*b"roots/v1");
/// The role that gets the mail.
const AUDITOR: &str = "auditor";

/// The daily mail to the auditors.
pub struct MailRoots {
    pub db: Db,
    pub directory: Directory,
    /// Where the services write their roots.
    pub store: Arc<dyn ObjectStore>,
    pub queued: Arc<Notify>,
}

impl MailRoots {
    /// Queues each day's mail until shutdown. A failure is tried again at the next look.
    pub async fn run(self, shutdown: CancellationToken) {
        loop {
            match self.queue().await {
                Ok(queued) if queued > 0 => self.queued.notify_one(),
                Ok(_) => {}
                Err(error) => tracing::warn!(error = %format!("{error:#}"), "could not mail the signed roots"),
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    /// Queues today's mail for every auditor who has none yet, whichever process asks; returns for how many.
    ///
    /// # Errors
    /// The store's, or Unavailable if auth cannot list the auditors.
    pub async fn queue(&self) -> anyhow::Result<usize> {
        let now = clock::now(&mut *self.db.conn().await?).await?;
        let day = Uuid::from_u64_pair(EVENTS, u64::try_from(now.to_julian_day())?);
        let auditors = self.directory.staff_of(AUDITOR).await?;
        if auditors.is_empty() || mails::count(&mut *self.db.conn().await?, day).await? >= auditors.len() {
            return Ok(0);
        }
        let roots = self.newest().await?;
        if roots.is_empty() {
            return Ok(0);
        }
        let mut queued = 0;
        let mut tx = self.db.begin().await?;
        for auditor in auditors {
            let request = MailRequest::new(Template::RootsOfTheDay, Audience::Account(auditor))
                .with("day", now.date().to_string())
                .with("at", clock::to_text(now))
                .with("roots", roots.join("\n"));
            queued += usize::from(mails::queue(&mut tx, day, auditor, &request).await?);
        }
        tx.commit().await?;
        Ok(queued)
    }

    /// A line for each service that has a root, by name.
    async fn newest(&self) -> anyhow::Result<Vec<String>> {
        let mut folders = self.store.list_with_delimiter(None).await?.common_prefixes;
        folders.sort_unstable();
        let mut lines = Vec::new();
        for folder in folders {
            let service = folder.as_ref();
            lines.extend(roots::read(&*self.store, service, true).await?.pop().map(|newest| line(service, &newest)));
        }
        Ok(lines)
    }
}

fn line(service: &str, newest: &Signed) -> String {
    format!("{service} {:010} {}", newest.root.number, newest.hash())
}
