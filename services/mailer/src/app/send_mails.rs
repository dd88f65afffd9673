//! Sends due emails: leases them, fetches name, address and secret from auth just before sending, and records the
//! result.

use std::sync::Arc;
use std::time::Duration;

use chassis::clock;
use chassis::db::Db;
use chassis::telemetry;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::clients::{Contact, Directory};
use crate::domain::mail::{FinalStatus, Mail, Params};
use crate::domain::retry::{self, Delay};
use crate::message::{self, Sender};
use crate::render::Renderer;
use crate::smtp::{SendError, Transport};
use crate::store::mails::{self, Leased};
use crate::store::{notices, push_subscriptions, pushes};

/// Mails at work at once.
pub const CONCURRENCY: usize = 16;
/// Other mailers do not see a leased mail; the lease is extended while the mail is being sent. The mails of a mailer that
/// died wait for its end.
const LEASE: Duration = Duration::from_secs(30);
/// Ended mails are kept so long, for questions.
const KEPT_DAYS: i32 = 90;

pub struct SendMails {
    pub db: Db,
    pub directory: Directory,
    pub renderer: Renderer,
    pub sender: Sender,
    pub transport: Transport,
    /// Says that mails were queued here.
    pub queued: Arc<Notify>,
}

/// What came of one try.
#[derive(Debug)]
enum Outcome {
    Ended(FinalStatus, Option<String>),
    Deferred(Delay, String),
}

impl SendMails {
    /// Sends until shutdown, then finishes what is at work. Looks every second for mails that are due again, or that
    /// another mailer queued.
    ///
    /// Each mail is a task of its own: futures that only go on while this loop looks at them would hold connections while
    /// the loop waits for one.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let mut at_work = JoinSet::new();
        loop {
            match self.lease(CONCURRENCY - at_work.len()).await {
                Ok(leased) => {
                    for leased in leased {
                        let send = Arc::clone(&self);
                        at_work.spawn(async move { send.deliver(leased).await });
                    }
                }
                Err(error) => tracing::warn!(%error, "could not send mails, they stay queued"),
            }
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(_) = at_work.join_next() => {}
                () = self.queued.notified(), if at_work.len() < CONCURRENCY => {}
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
        }
        while at_work.join_next().await.is_some() {}
    }

    /// Forgets all mails that ended long ago, old notices, and devices that were not renewed; returns how many rows.
    pub async fn forget_old(&self) -> Result<u64, sqlx::Error> {
        let mut forgotten = 0;
        loop {
            let batch = mails::sweep(&mut *self.db.conn().await?, KEPT_DAYS).await?;
            forgotten += batch;
            if batch == 0 {
                forgotten += notices::sweep(&self.db).await? + pushes::sweep(&self.db).await?;
                return Ok(forgotten + push_subscriptions::sweep(&self.db).await?);
            }
        }
    }

    /// Forgets old mails and notices, now and then, until shutdown.
    pub async fn sweep(&self, shutdown: CancellationToken) {
        loop {
            match self.forget_old().await {
                Ok(rows) => tracing::debug!(rows, "swept"),
                Err(error) => tracing::warn!(%error, "sweep failed"),
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(Duration::from_secs(rand::random_range(3_000..4_000))) => {}
            }
        }
    }

    /// Takes due mails, at most this many, out of the sight of other mailers.
    pub async fn lease(&self, limit: usize) -> Result<Vec<Leased>, sqlx::Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        mails::lease(&mut *self.db.conn().await?, limit, LEASE).await
    }

    /// Tries a leased mail once and notes what came of it.
    pub async fn deliver(&self, (mail, trace): Leased) {
        let template = mail.template.into_str();
        let span =
            tracing::info_span!("mails.send", otel.name = %format!("mails.{template}"), mail = %mail.id, template);
        telemetry::continue_trace(&span, &trace);
        async {
            chassis::crash_point!("mailer.send.after_lease");
            let attempt = self.attempt(&mail);
            tokio::pin!(attempt);
            let outcome = loop {
                tokio::select! {
                    outcome = &mut attempt => break outcome,
                    () = tokio::time::sleep(LEASE / 3) => self.renew(&mail).await,
                }
            };
            chassis::crash_point!("mailer.send.after_smtp");
            self.settle(&mail, outcome).await;
            chassis::crash_point!("mailer.send.after_commit");
        }
        .instrument(span)
        .await;
    }

    async fn attempt(&self, mail: &Mail) -> Outcome {
        let (to, params) = match self.address(mail).await {
            Ok(addressed) => addressed,
            Err(outcome) => return outcome,
        };
        let content = match self.renderer.render(mail.template, &params) {
            Ok(content) => content,
            Err(error) => return Outcome::Ended(FinalStatus::Undeliverable, Some(error.to_string())),
        };
        tracing::debug!(to = to.email, tries = mail.tries, "sending");
        let (sender, id) = (self.sender.clone(), mail.id);
        let write = move || sender.message(id, &to, content).map_err(|error| error.to_string());
        match self.transport.send(mail.template.into_str(), write).await {
            Ok(_) => Outcome::Ended(FinalStatus::Sent, None),
            Err(refused @ SendError::Permanent(_)) => {
                Outcome::Ended(FinalStatus::Undeliverable, Some(refused.to_string()))
            }
            Err(refused @ SendError::Deferred(_)) => Outcome::Deferred(Delay::Deferred, refused.to_string()),
            Err(refused @ SendError::Unreachable(_)) => Outcome::Deferred(Delay::Unreachable, refused.to_string()),
        }
    }

    /// Whom the mail goes to and what it says, the secret included; or why it goes nowhere.
    async fn address(&self, mail: &Mail) -> Result<(Contact, Params), Outcome> {
        let away = |refusal: chassis::error::Refusal| Outcome::Deferred(Delay::Unreachable, format!("auth: {refusal}"));
        let mut params = mail.params.clone();
        let mut to = match &mail.secret_reference {
            Some(reference) => {
                let secret = self.directory.mail_secret(reference).await.map_err(away)?;
                let secret = secret.ok_or(Outcome::Ended(FinalStatus::Expired, None))?;
                params.insert("secret".to_owned(), secret.secret);
                params.insert("expires_at".to_owned(), clock::to_text(secret.expires_at));
                if let Some((token, until)) = secret.link {
                    params.insert("link".to_owned(), token);
                    params.insert("link_expires_at".to_owned(), clock::to_text(until));
                }
                secret.contact
            }
            None => {
                let contact = self.directory.contact(mail.user_id).await.map_err(away)?;
                contact.ok_or_else(|| {
                    Outcome::Ended(FinalStatus::Undeliverable, Some("there is no such account".to_owned()))
                })?
            }
        };
        if let Some(address) = &mail.address {
            to.email.clone_from(address);
        }
        if to.email.is_empty() {
            return Err(Outcome::Ended(FinalStatus::Undeliverable, Some("the account is closed".to_owned())));
        }
        if mail.template.omits_recipient_name() {
            to.name.clear();
        }
        params.insert("name".to_owned(), message::one_line(&to.name));
        params.insert("email".to_owned(), to.email.clone());
        Ok((to, params))
    }

    async fn renew(&self, mail: &Mail) {
        let renewed = async { mails::renew(&mut *self.db.conn().await?, mail, LEASE).await };
        if let Err(error) = renewed.await {
            tracing::warn!(%error, "lease not renewed");
        }
    }

    async fn settle(&self, mail: &Mail, outcome: Outcome) {
        let outcome = match outcome {
            Outcome::Deferred(_, cause) if retry::is_given_up(mail.age_seconds) => {
                let end =
                    if mail.secret_reference.is_some() { FinalStatus::Expired } else { FinalStatus::Undeliverable };
                Outcome::Ended(end, Some(cause))
            }
            other => other,
        };
        match &outcome {
            Outcome::Ended(FinalStatus::Undeliverable, cause) => tracing::error!(cause, "mail is undeliverable"),
            Outcome::Ended(end, _) => tracing::info!(end = end.into_str(), "mail ended"),
            Outcome::Deferred(_, cause) => tracing::warn!(cause, tries = mail.tries, "mail will be retried"),
        }
        let status = if let Outcome::Ended(end, _) = &outcome { end.into_str() } else { "deferred" };
        metrics::counter!("mails_total", "template" => mail.template.into_str(), "status" => status).increment(1);
        // A mail that was sent must not be sent again because the database was away for a moment.
        while let Err(error) = self.note(mail, &outcome).await {
            tracing::warn!(%error, "could not record the outcome of a mail yet");
            tokio::time::sleep(Duration::from_millis(rand::random_range(50..250))).await;
        }
    }

    async fn note(&self, mail: &Mail, outcome: &Outcome) -> Result<(), sqlx::Error> {
        let mut conn = self.db.conn().await?;
        match outcome {
            Outcome::Ended(end, cause) => mails::end(&mut conn, mail, *end, cause.as_deref()).await,
            Outcome::Deferred(delay, cause) => {
                let jitter = rand::random_range(0..=1_000);
                let pause = delay.pause(mail.tries, mail.secret_reference.is_some(), jitter);
                mails::defer(&mut conn, mail, pause, cause).await
            }
        }
    }
}
