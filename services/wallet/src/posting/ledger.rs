//! Group commit: one task applies the movements of many use cases in one statement, which is one transaction.
//!
//! Movements that arrive during a commit form the next one; there is no timer. The database decides whether each
//! movement can be applied, and returns the reason if not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer, Claim, Work};
use serde::Serialize;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::error::Error;
use crate::posting::clock::{Moment, Reading};
use crate::posting::queue::{BATCH, BESIDE, Footprint, PATIENCE};
use crate::posting::writer::{State, Waiting, Writer};
use crate::posting::{Movement, Outcome, Precondition, open};

/// The task that commits is stuck if a commit is older: each ends by its deadline.
const STUCK: Duration = Duration::from_secs(15);

/// A way to the task that applies movements; ends it when the last is dropped.
#[derive(Clone)]
pub struct Ledger {
    db: Db,
    queue: mpsc::Sender<Waiting>,
    enough: Arc<Notify>,
    state: watch::Receiver<State>,
}

impl Ledger {
    /// A ledger and the task that it needs to run.
    pub fn new(db: Db) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (queue, incoming) = mpsc::channel(BATCH);
        let (sender, state) = watch::channel(State::default());
        let enough = Arc::new(Notify::new());
        let writer = Writer { db: db.clone(), incoming, enough: Arc::clone(&enough), state: sender };
        (Self { db, queue, enough, state }, writer.run())
    }

    /// The database, for use cases in a transaction of their own.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Says whether the task that commits goes on; does not keep it from ending.
    pub fn liveness(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let state = self.state.clone();
        move || state.borrow().oldest.is_none_or(|begun| begun.elapsed() < STUCK)
    }

    /// This moment by the database's clock, which every commit reads: asked for only when none did within a second.
    pub async fn now(&self) -> Result<OffsetDateTime, Error> {
        self.now_by(None).await
    }

    /// The same; a reading of the caller counts as well.
    pub(crate) async fn now_by(&self, own: Option<Reading>) -> Result<OffsetDateTime, Error> {
        let (known, moment) = (self.state.borrow().reading, Moment::now());
        let now = match known.into_iter().chain(own).find_map(|reading| reading.at(moment)) {
            Some(now) => now,
            None => clock::now(&mut *self.db.conn().await?).await?,
        };
        // As exact as the database keeps it, so that an answer is the same when it is read again.
        Ok(now.replace_nanosecond(now.microsecond() * 1_000).unwrap_or(now))
    }

    /// Applies a movement, and answers when it is committed. The answer is kept under the key, a refusal too.
    ///
    /// # Errors
    /// What stands in its way; `AlreadyPosted`; Unavailable if it was not applied in time, or if nobody knows whether it
    /// was: then the key shows it on the next try.
    pub async fn post<T: Serialize + DeserializeOwned>(
        &self,
        movement: Movement,
        claim: Option<Claim>,
        result: T,
    ) -> Result<Answer<T>, Error> {
        let movement = Arc::new(movement);
        let kept = claim.as_ref().map(|claim| Ok::<_, Error>((claim.clone(), idempotency::outcome(&result)?)));
        let outcome = self.queued(&movement, kept.transpose()?).await?;
        if outcome == Outcome::Applied {
            return Ok(Answer { result, replayed: None });
        }
        let Some(claim) = claim else { return Err(movement.refusal(&mut *self.db.conn().await?, outcome).await) };
        // The answer that stands under the key; or, decided again in the transaction that keeps it, the refusal.
        let mut work = Work::begin::<Error>(&self.db, Some(claim)).await?;
        if let Some(answer) = work.replay::<_, Error>()? {
            return Ok(answer);
        }
        let decided = movement.apply(&mut work).await.map(|()| result);
        work.settle(decided).await
    }

    /// Applies a movement without a key, and returns what became of it once that is committed.
    ///
    /// # Errors
    /// `AlreadyPosted`; Unavailable if it was not applied in time, or if nobody knows whether it was: then what it is about
    /// shows it on the next try.
    pub async fn apply(&self, movement: Movement) -> Result<Outcome, Error> {
        self.queued(&Arc::new(movement), None).await
    }

    async fn queued(
        &self,
        movement: &Arc<Movement>,
        kept: Option<(Claim, Box<serde_json::value::RawValue>)>,
    ) -> Result<Outcome, Error> {
        let outcome = self.queued_once(movement, kept.clone()).await?;
        if outcome != Outcome::AccountMissing {
            return Ok(outcome);
        }
        let mut conn = self.db.conn().await?;
        for account in movement.accounts() {
            open(&mut conn, account).await?;
        }
        drop(conn);
        self.queued_once(movement, kept).await
    }

    async fn queued_once(
        &self,
        movement: &Arc<Movement>,
        kept: Option<(Claim, Box<serde_json::value::RawValue>)>,
    ) -> Result<Outcome, Error> {
        let (answer, outcome) = oneshot::channel();
        let footprint = footprint(movement, kept.as_ref().map(|(claim, _)| claim));
        let waiting = Waiting { movement: Arc::clone(movement), kept, answer, footprint };
        let sent = timeout(PATIENCE, self.queue.send(waiting)).await;
        if !matches!(sent, Ok(Ok(()))) {
            return Err(Error::Refused(Refusal::unavailable()));
        }
        if BATCH - self.queue.capacity() >= BESIDE {
            self.enough.notify_one();
        }
        outcome.await.map_err(|_| Error::Refused(Refusal::unavailable()))?
    }
}

fn footprint(movement: &Movement, claim: Option<&Claim>) -> Footprint {
    let key = claim.map(|claim| hash(claim.key()));
    let looked_at = movement.precondition.map(|precondition| match precondition {
        Precondition::TradeUnknown { trade_id, .. } | Precondition::TradeFunded { trade_id, .. } => hash(trade_id),
        Precondition::WithdrawalAllowed { .. } => hash((movement.user_id, "withdrawal")),
        Precondition::NoCourse => hash((movement.user_id, "course")),
    });
    Footprint { alone: [key, looked_at], accounts: movement.accounts().map(hash).collect() }
}

fn hash(subject: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    subject.hash(&mut hasher);
    hasher.finish()
}
