//! Sends due notices to devices: leases them, hands each to the push service of its browser, and records the result.

use std::sync::Arc;
use std::time::Duration;

use chassis::clock;
use chassis::db::Db;
use strum::IntoStaticStr;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::domain::notice::Group;
use crate::domain::push::{PushText, words};
use crate::domain::retry::{self, Delay};
use crate::push::{Message, Push, PushError};
use crate::store::push_subscriptions;
use crate::store::pushes::{self, Due};

/// Notices at work at once.
pub const CONCURRENCY: usize = 16;
/// Other processes do not see a leased notice; a try ends well before.
const LEASE: Duration = Duration::from_secs(30);
/// A push service may keep a notice for so long, from the event on.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest pause that a push service may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

pub struct SendPushes {
    pub db: Db,
    pub push: Arc<Push>,
}

/// What came of one try.
#[derive(Debug, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
enum Outcome {
    Taken,
    /// The member has read it, or it is too old.
    Dropped,
    Gone,
    Refused(String),
    Deferred(Option<Duration>, String),
}

impl SendPushes {
    /// Sends until shutdown, then finishes what is at work. Looks every second for what is due.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let mut at_work = JoinSet::new();
        loop {
            match self.lease(CONCURRENCY - at_work.len()).await {
                Ok(leased) => {
                    for due in leased {
                        let send = Arc::clone(&self);
                        at_work.spawn(async move { send.deliver(due).await });
                    }
                }
                Err(error) => tracing::warn!(%error, "could not send notices to devices, they stay queued"),
            }
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(_) = at_work.join_next() => {}
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
        }
        while at_work.join_next().await.is_some() {}
    }

    /// Takes due ones, at most this many, out of the sight of other processes.
    pub async fn lease(&self, limit: usize) -> Result<Vec<Due>, sqlx::Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        pushes::lease(&mut *self.db.conn().await?, limit, LEASE).await
    }

    /// Tries a leased one once and notes what came of it.
    pub async fn deliver(&self, due: Due) {
        let span = tracing::info_span!("pushes.send", notice = %due.notice_id, kind = due.kind.into_str());
        async {
            let outcome = match self.attempt(&due).await {
                Ok(outcome) => outcome,
                Err(error) => Outcome::Deferred(None, error.to_string()),
            };
            self.settle(&due, outcome).await;
        }
        .instrument(span)
        .await;
    }

    async fn attempt(&self, due: &Due) -> Result<Outcome, sqlx::Error> {
        let left = LIFE.saturating_sub(Duration::from_secs(u64::try_from(due.age_seconds).unwrap_or_default()));
        let Some((title, body, path)) = words(due.kind, &due.facts).filter(|_| !due.is_read && !left.is_zero()) else {
            return Ok(Outcome::Dropped);
        };
        let text = PushText { title, body, path, tag: due.notice_id.to_string() };
        let Ok(text) = serde_json::to_vec(&text) else { return Ok(Outcome::Dropped) };
        let Some(to) = self.push.keys.open(due.session_id, &due.sealed) else { return Ok(Outcome::Gone) };
        let is_urgent = due.kind.notice_group() == Some(Group::Security);
        let message = Message { to: &to, text: &text, life: left, is_urgent };
        let now = clock::now(&mut *self.db.conn().await?).await?;
        Ok(match self.push.send(&message, now).await {
            Ok(()) => Outcome::Taken,
            Err(PushError::Gone) => Outcome::Gone,
            Err(PushError::Refused(cause)) => Outcome::Refused(cause),
            Err(PushError::Deferred(pause, cause)) => Outcome::Deferred(pause, cause),
        })
    }

    async fn settle(&self, due: &Due, outcome: Outcome) {
        let outcome = match outcome {
            Outcome::Deferred(..) if retry::is_given_up(due.age_seconds) => Outcome::Dropped,
            other => other,
        };
        match &outcome {
            Outcome::Refused(cause) => tracing::warn!(cause, "a push service refused a notice"),
            Outcome::Deferred(_, cause) => tracing::info!(cause, tries = due.tries, "notice will be sent again"),
            other => tracing::debug!(end = other.into_str(), "notice ended"),
        }
        metrics::counter!("pushes_total", "status" => outcome.into_str()).increment(1);
        // What is not noted is sent again when the lease ends, and takes the place of the first copy on the device.
        if let Err(error) = self.note(due, &outcome).await {
            tracing::warn!(%error, "could not record what became of a notice");
        }
    }

    async fn note(&self, due: &Due, outcome: &Outcome) -> Result<(), sqlx::Error> {
        let mut tx = self.db.begin().await?;
        match outcome {
            Outcome::Deferred(asked, _) => {
                let pause = Delay::Deferred.pause(due.tries, false, rand::random_range(0..=1_000));
                pushes::defer(&mut tx, due, asked.map_or(pause, |asked| asked.min(LONGEST_PAUSE).max(pause))).await?;
            }
            Outcome::Gone => push_subscriptions::remove(&mut tx, due.session_id, &due.fingerprint).await?,
            Outcome::Dropped => pushes::end(&mut tx, due).await?,
            Outcome::Taken => {
                pushes::end(&mut tx, due).await?;
                push_subscriptions::note_taken(&mut tx, due.session_id).await?;
            }
            Outcome::Refused(_) => {
                pushes::end(&mut tx, due).await?;
                push_subscriptions::note_refused(&mut tx, due.session_id).await?;
            }
        }
        tx.commit().await
    }
}
