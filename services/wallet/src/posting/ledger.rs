//! Group commit: one task applies the movements of many use cases in one statement, which is one transaction.
//!
//! While a commit runs, what arrives waits and becomes the next one; there is no timer. The database decides whether a
//! movement can be applied as it is. If it cannot, whoever asked runs the use case in a transaction of their own, which
//! finds out why and keeps the refusal: every rule has one place, and the refused harm nobody beside them.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::time::{Duration, Instant};

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer, Claim};
use serde::Serialize;
use serde_json::value::RawValue;
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::error::Error;
use crate::posting::columns::{Columns, Kept};
use crate::posting::{Guard, Movement, Verdict};

/// Movements of one commit.
const BATCH: usize = 256;
/// How long the database's clock is known after it was read.
const FRESH: Duration = Duration::from_secs(10);
/// After so long without work the task gives its connection back, which is looked at when it is taken next.
const IDLE: Duration = Duration::from_secs(1);

/// A way to the task that applies movements; ends it when the last is dropped.
#[derive(Clone)]
pub struct Ledger {
    db: Db,
    queue: mpsc::Sender<Waiting>,
    clock: watch::Receiver<Option<Reading>>,
}

/// The database's clock as it was read, and when that was.
#[derive(Clone, Copy)]
struct Reading {
    at: OffsetDateTime,
    asked: Instant,
}

/// A movement that waits for its verdict.
struct Waiting {
    movement: Movement,
    kept: Option<(Claim, Box<RawValue>)>,
    answer: oneshot::Sender<Result<Verdict, Error>>,
}

impl Ledger {
    /// A ledger and the task that it needs to run.
    pub fn new(db: Db) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (queue, waiting) = mpsc::channel(BATCH);
        let (clock, reading) = watch::channel(None);
        let writer = Writer { db: db.clone(), queue: waiting, held_back: VecDeque::new(), conn: None, clock };
        (Self { db, queue, clock: reading }, writer.run())
    }

    /// The database, for use cases in a transaction of their own.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// This moment by the database's clock, which every commit reads: asked for only when none did of late.
    ///
    /// # Errors
    /// The database's.
    pub async fn now(&self) -> Result<OffsetDateTime, Error> {
        let reading = *self.clock.borrow();
        let now = match reading {
            Some(Reading { at, asked }) if asked.elapsed() < FRESH => at + asked.elapsed(),
            _ => clock::now(&mut *self.db.conn().await?).await?,
        };
        // As exact as the database keeps it, so that an answer is the same when it is read again.
        Ok(now.replace_nanosecond(now.microsecond() * 1_000).unwrap_or(now))
    }

    /// Applies a movement together with others and answers when it is committed; the answer is kept under the claim.
    /// `None` if it cannot be applied as it is: nothing changed, and the use case decides in a transaction of its own.
    ///
    /// # Errors
    /// Unavailable if nobody knows whether it was committed: only the key, or the trade's id, tells.
    pub async fn apply<T: Serialize>(
        &self,
        movement: Movement,
        claim: Option<&Claim>,
        result: T,
    ) -> Result<Option<Answer<T>>, Error> {
        let kept = claim.map(|claim| Ok::<_, Error>((claim.clone(), idempotency::outcome(&result)?))).transpose()?;
        let (answer, verdict) = oneshot::channel();
        let gone = |_| Error::Refused(Refusal::unavailable());
        self.queue.send(Waiting { movement, kept, answer }).await.map_err(|_| Refusal::unavailable())?;
        Ok(match verdict.await.map_err(gone)?? {
            Verdict::Applied => Some(Answer { result, replayed: None }),
            Verdict::Hindered | Verdict::Overdrawn | Verdict::AccountMissing => None,
        })
    }
}

/// The task behind a ledger.
struct Writer {
    db: Db,
    queue: mpsc::Receiver<Waiting>,
    /// What could not be in the commit before, in order of arrival.
    held_back: VecDeque<Waiting>,
    conn: Option<PoolConnection<Postgres>>,
    clock: watch::Sender<Option<Reading>>,
}

impl Writer {
    async fn run(mut self) {
        while let Some(batch) = self.next().await {
            let verdicts = self.commit(&batch).await;
            for (place, waiting) in batch.into_iter().enumerate() {
                let verdict = match &verdicts {
                    Ok(verdicts) => Ok(verdicts.get(place).copied().unwrap_or(Verdict::Hindered)),
                    // The database refused the whole: one of them was wrong, and each finds out alone.
                    Err(Error::Database(sqlx::Error::Database(_))) => Ok(Verdict::Hindered),
                    Err(Error::Database(_)) => Err(Error::Refused(Refusal::unavailable())),
                    Err(_) => Ok(Verdict::Hindered),
                };
                if let Ok(Verdict::Applied) = verdict {
                    waiting.movement.count();
                }
                // Whoever asked may have gone; what is committed stays.
                drop(waiting.answer.send(verdict));
            }
        }
    }

    /// What waits, but nothing that depends on another of the same commit; `None` when nobody can ask any more.
    async fn next(&mut self) -> Option<Vec<Waiting>> {
        if self.held_back.is_empty() {
            let first = match timeout(IDLE, self.queue.recv()).await {
                Ok(first) => first?,
                Err(_) => {
                    self.conn = None;
                    self.queue.recv().await?
                }
            };
            self.held_back.push_back(first);
        }
        // Those who were answered just now may have their next one ready.
        tokio::task::yield_now().await;
        while self.held_back.len() < BATCH
            && let Ok(waiting) = self.queue.try_recv()
        {
            self.held_back.push_back(waiting);
        }
        let (mut batch, mut taken) = (Vec::with_capacity(self.held_back.len()), HashSet::new());
        for waiting in mem::take(&mut self.held_back) {
            let subjects = waiting.subjects();
            if subjects.iter().flatten().any(|subject| taken.contains(subject)) {
                self.held_back.push_back(waiting);
            } else {
                taken.extend(subjects.into_iter().flatten());
                batch.push(waiting);
            }
        }
        Some(batch)
    }

    async fn commit(&mut self, batch: &[Waiting]) -> Result<Vec<Verdict>, Error> {
        let columns = Columns::of(batch.iter().map(|waiting| (&waiting.movement, waiting.kept())))?;
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.db.conn().await?,
        };
        let asked = Instant::now();
        // A statement outside a transaction is one of its own: it is committed when it answers.
        let done = columns.apply(&mut conn).await?;
        self.conn = Some(conn);
        self.clock.send_replace(Some(Reading { at: done.at, asked }));
        self.db.note_commit();
        Ok(done.verdicts)
    }
}

impl Waiting {
    fn kept(&self) -> Kept<'_> {
        self.kept.as_ref().map(|(claim, outcome)| (claim, &**outcome))
    }

    /// What two movements of one commit must not share: the function looks at what was there before all of them.
    fn subjects(&self) -> [Option<u64>; 2] {
        let hash = |subject: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            subject(&mut hasher);
            hasher.finish()
        };
        let user_id = self.movement.user_id;
        let key = self.kept.as_ref().map(|(claim, _)| hash(&|hasher| claim.key().hash(hasher)));
        let guarded = self.movement.guard.map(|guard| match guard {
            Guard::Fund { trade_id, .. } | Guard::Settle { trade_id, .. } => hash(&|hasher| trade_id.hash(hasher)),
            Guard::Withdrawal | Guard::Course => hash(&|hasher| (user_id, guard).hash(hasher)),
        });
        [key, guarded]
    }
}
