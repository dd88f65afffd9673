//! Group commit: one task applies the movements of many use cases in one statement, which is one transaction.
//!
//! While a commit runs, what arrives waits and becomes the next one; there is no timer. Of those who have nothing to do
//! with the first, enough make a second beside it, so that the database uses a second core. The database decides whether a
//! movement can be applied as it is. If it cannot, whoever asked runs the use case in a transaction of their own, which
//! finds out why and keeps the refusal: every rule has one place, and the refused harm nobody beside them.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::idempotency::{self, Answer, Claim};
use futures::stream::{FuturesUnordered, StreamExt};
use serde::Serialize;
use serde_json::value::RawValue;
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use time::OffsetDateTime;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::sleep;

use crate::error::Error;
use crate::posting::columns::{Columns, Kept};
use crate::posting::{Guard, Movement, Verdict};

/// Movements of one commit.
const BATCH: usize = 256;
/// Commits that run at once, on different accounts.
const AT_ONCE: usize = 2;
/// How many must wait for a commit beside another, and a quarter of what that one has: fewer are cheaper in one commit when
/// it is done.
const BESIDE: usize = 8;
/// How long the database's clock is known after it was read.
const FRESH: Duration = Duration::from_secs(10);
/// After so long without work the task gives its connection back, which is looked at when it is taken next.
const IDLE: Duration = Duration::from_secs(1);

/// A way to the task that applies movements; ends it when the last is dropped.
#[derive(Clone)]
pub struct Ledger {
    db: Db,
    queue: mpsc::Sender<Waiting>,
    enough: Arc<Notify>,
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
    /// What two movements of one commit must not share: the function looks at what was there before all of them.
    alone: [Option<u64>; 2],
    /// The accounts that it locks.
    accounts: Vec<u64>,
}

impl Ledger {
    /// A ledger and the task that it needs to run.
    pub fn new(db: Db) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (queue, waiting) = mpsc::channel(BATCH);
        let (clock, reading) = watch::channel(None);
        let enough = Arc::new(Notify::new());
        let writer = Writer { db: db.clone(), queue: waiting, enough: Arc::clone(&enough), clock };
        (Self { db, queue, enough, clock: reading }, writer.run())
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
        self.queue.send(Waiting::new(movement, kept, answer)).await.map_err(|_| Refusal::unavailable())?;
        if BATCH - self.queue.capacity() >= BESIDE {
            self.enough.notify_one();
        }
        Ok(match verdict.await.map_err(gone)?? {
            Verdict::Applied => Some(Answer { result, replayed: None }),
            Verdict::Hindered | Verdict::Overdrawn | Verdict::AccountMissing => None,
        })
    }
}

/// What waits for its commit, and what the commits that run keep others from.
#[derive(Default)]
struct Queue {
    /// In order of arrival.
    waiting: VecDeque<Waiting>,
    /// How many may be free that were not so, or not there, when the last were taken.
    fresh: usize,
    /// What the movements of running commits hold.
    held: HashSet<u64>,
    /// How many movements those are.
    running: usize,
}

impl Queue {
    fn push(&mut self, waiting: Waiting) {
        self.waiting.push_back(waiting);
        self.fresh += 1;
    }

    /// The next commit: whoever needs nothing that a running one holds, or somebody before them waits for. So each
    /// account's movements stay in their order, and no commit waits for another's locks.
    fn take(&mut self) -> Batch {
        let mut batch = Batch::default();
        let (mut alone, mut awaited) = (HashSet::<u64>::new(), HashSet::<u64>::new());
        for waiting in mem::take(&mut self.waiting) {
            let is_free = |subject| !self.held.contains(subject) && !awaited.contains(subject);
            let is_free = batch.movements.len() < BATCH
                && waiting.subjects().all(is_free)
                && !waiting.alone.iter().flatten().any(|subject| alone.contains(subject));
            if is_free {
                alone.extend(waiting.alone.into_iter().flatten());
                batch.held.extend(waiting.subjects());
                batch.movements.push(waiting);
            } else {
                awaited.extend(waiting.subjects());
                self.waiting.push_back(waiting);
            }
        }
        self.held.extend(&batch.held);
        self.running += batch.movements.len();
        self.fresh = 0;
        batch
    }

    /// After a commit of so many.
    fn release(&mut self, movements: usize, held: &HashSet<u64>) {
        self.held.retain(|subject| !held.contains(subject));
        self.running -= movements;
        self.fresh = self.waiting.len();
    }

    /// Whether a commit beside those that run is worth it.
    fn has_enough(&self) -> bool {
        self.fresh >= BESIDE.max(self.running / 4)
    }
}

/// Movements of one commit, and what they hold while it runs.
#[derive(Default)]
struct Batch {
    movements: Vec<Waiting>,
    held: HashSet<u64>,
}

/// The task behind a ledger.
struct Writer {
    db: Db,
    queue: mpsc::Receiver<Waiting>,
    /// Told when a commit beside the one that runs is worth it.
    enough: Arc<Notify>,
    clock: watch::Sender<Option<Reading>>,
}

impl Writer {
    async fn run(self) {
        let Self { db, queue: mut incoming, enough, clock } = self;
        let (mut queue, mut commits, mut idle) = (Queue::default(), FuturesUnordered::new(), Vec::new());
        let mut is_open = true;
        while is_open || !commits.is_empty() {
            // Those who were answered just now may have their next one ready.
            tokio::task::yield_now().await;
            while queue.waiting.len() < BATCH
                && let Ok(waiting) = incoming.try_recv()
            {
                queue.push(waiting);
            }
            while commits.is_empty() || commits.len() < AT_ONCE && queue.has_enough() {
                let batch = queue.take();
                if batch.movements.is_empty() {
                    break;
                }
                commits.push(batch.commit(&db, idle.pop(), &clock));
            }
            let may_begin = commits.len() < AT_ONCE;
            tokio::select! {
                Some((movements, held, conn)) = commits.next() => {
                    queue.release(movements, &held);
                    idle.extend(conn);
                }
                // Then nobody waits: whoever waited would have begun.
                next = incoming.recv(), if is_open && commits.is_empty() => match next {
                    Some(waiting) => queue.push(waiting),
                    None => is_open = false,
                },
                () = enough.notified(), if may_begin => {}
                () = sleep(IDLE), if !idle.is_empty() => idle.clear(),
            }
        }
    }
}

impl Batch {
    /// Commits, then answers. So many movements are done, what they held is free again, and so is the connection, if it is
    /// good.
    async fn commit(
        self,
        db: &Db,
        conn: Option<PoolConnection<Postgres>>,
        clock: &watch::Sender<Option<Reading>>,
    ) -> (usize, HashSet<u64>, Option<PoolConnection<Postgres>>) {
        let count = self.movements.len();
        let (conn, verdicts) = match apply(&self.movements, db, conn, clock).await {
            Ok((conn, verdicts)) => (Some(conn), Ok(verdicts)),
            Err(error) => (None, Err(error)),
        };
        for (place, waiting) in self.movements.into_iter().enumerate() {
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
        (count, self.held, conn)
    }
}

/// Applies movements in a commit of their own.
async fn apply(
    movements: &[Waiting],
    db: &Db,
    conn: Option<PoolConnection<Postgres>>,
    clock: &watch::Sender<Option<Reading>>,
) -> Result<(PoolConnection<Postgres>, Vec<Verdict>), Error> {
    let columns = Columns::of(movements.iter().map(|waiting| (&waiting.movement, waiting.kept())))?;
    let mut conn = match conn {
        Some(conn) => conn,
        None => db.conn().await?,
    };
    let asked = Instant::now();
    // A statement outside a transaction is one of its own: it is committed when it answers.
    let done = columns.apply(&mut conn).await?;
    clock.send_replace(Some(Reading { at: done.at, asked }));
    db.note_commit();
    Ok((conn, done.verdicts))
}

impl Waiting {
    fn new(
        movement: Movement,
        kept: Option<(Claim, Box<RawValue>)>,
        answer: oneshot::Sender<Result<Verdict, Error>>,
    ) -> Self {
        let user_id = movement.user_id;
        let key = kept.as_ref().map(|(claim, _)| hash(claim.key()));
        let guarded = movement.guard.map(|guard| match guard {
            Guard::Fund { trade_id, .. } | Guard::Settle { trade_id, .. } => hash(trade_id),
            Guard::Withdrawal | Guard::Course => hash((user_id, guard)),
        });
        let accounts = movement.accounts().map(hash).collect();
        Self { movement, kept, answer, alone: [key, guarded], accounts }
    }

    fn kept(&self) -> Kept<'_> {
        self.kept.as_ref().map(|(claim, outcome)| (claim, &**outcome))
    }

    /// What nobody else may touch in a commit beside this one's.
    fn subjects(&self) -> impl Iterator<Item = &u64> {
        self.alone.iter().flatten().chain(&self.accounts)
    }
}

fn hash(subject: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    subject.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;
    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::{BATCH, BESIDE, Batch, Queue, Waiting};
    use crate::domain::account::{AccountRef, HouseAccount};
    use crate::posting::{Guard, Movement, Posting};

    fn transfer(user_id: Uuid, to: AccountRef) -> Waiting {
        let from = AccountRef::available(user_id);
        let posting =
            Posting::transfer("transfer", user_id, Uuid::new_v4(), from, to, Cents::new(1)).expect("a transfer");
        Waiting::new(Movement { user_id, postings: vec![posting], ..Movement::default() }, None, oneshot::channel().0)
    }

    fn members(batch: &Batch) -> Vec<Uuid> {
        batch.movements.iter().map(|waiting| waiting.movement.user_id).collect()
    }

    /// Two commits at once have no account in common, and nobody overtakes another who waits for the same account.
    #[test]
    fn commits_at_once_have_nothing_in_common() {
        let [a, b, c, d, e] = [(); 5].map(|()| Uuid::new_v4());
        let mut queue = Queue::default();
        queue.push(transfer(a, AccountRef::available(b)));
        let first = queue.take();
        assert_eq!(members(&first), [a]);
        // B is held by the first; C waits behind it for D; E has nothing to do with either.
        queue.push(transfer(b, AccountRef::available(c)));
        queue.push(transfer(d, AccountRef::available(c)));
        queue.push(transfer(e, AccountRef::House(HouseAccount::FeeRevenue)));
        let second = queue.take();
        assert_eq!(members(&second), [e]);
        assert!(queue.take().movements.is_empty());
        queue.release(1, &first.held);
        assert_eq!(queue.fresh, 2);
        assert_eq!(members(&queue.take()), [b, d]);
    }

    /// What a commit looks at must not be changed by another movement of the same.
    #[test]
    fn what_is_guarded_is_alone_in_its_commit() {
        let user_id = Uuid::new_v4();
        let mut queue = Queue::default();
        for _ in 0..3 {
            let mut waiting = transfer(user_id, AccountRef::House(HouseAccount::CourseRevenue));
            waiting.movement.guard = Some(Guard::Course);
            queue.push(Waiting::new(waiting.movement, None, waiting.answer));
        }
        let first = queue.take();
        assert_eq!((first.movements.len(), queue.waiting.len()), (1, 2));
        assert!(queue.take().movements.is_empty());
    }

    #[test]
    fn a_commit_has_a_most() {
        let mut queue = Queue::default();
        for _ in 0..=BATCH {
            queue.push(transfer(Uuid::new_v4(), AccountRef::House(HouseAccount::FeeRevenue)));
        }
        let first = queue.take();
        assert_eq!((first.movements.len(), queue.waiting.len()), (BATCH, 1));
        // Beside so large a commit a small one waits.
        assert!(!queue.has_enough());
        queue.release(BATCH, &first.held);
        for _ in 1..BESIDE {
            queue.push(transfer(Uuid::new_v4(), AccountRef::House(HouseAccount::FeeRevenue)));
        }
        assert!(queue.has_enough());
    }
}
