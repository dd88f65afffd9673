//! The task behind a ledger: commits the batches of its queue and returns the outcomes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::idempotency::Claim;
use futures::future::OptionFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{sleep, sleep_until, timeout};

use crate::error::Error;
use crate::posting::clock::{Moment, Reading};
use crate::posting::encode::{Done, Kept, Locks, Rows};
use crate::posting::queue::{Answer, Batch, End, Footprint, Queue};
use crate::posting::{Movement, Outcome};

/// How long a commit may take; then its outcome is unknown, and its connection is closed.
pub(super) const DEADLINE: Duration = Duration::from_millis(2_500);
/// How long a commit waits for a connection.
const CONNECT: Duration = Duration::from_secs(1);
/// After so long without work the task gives its connections back.
const IDLE: Duration = Duration::from_secs(1);

type Conn = Box<PgConnection>;

/// A movement that waits for its outcome.
pub(super) struct Waiting {
    pub(super) movement: Arc<Movement>,
    pub(super) kept: Option<(Claim, Box<RawValue>)>,
    pub(super) answer: oneshot::Sender<Result<Outcome, Error>>,
    pub(super) footprint: Footprint,
}

impl Waiting {
    fn kept(&self) -> Kept<'_> {
        self.kept.as_ref().map(|(claim, outcome)| (claim, &**outcome))
    }

    /// The caller may have disconnected; the commit stands.
    fn say(self, result: Result<Outcome, Error>) {
        if let Ok(Outcome::Applied) = result {
            self.movement.count();
        }
        drop(self.answer.send(result));
    }
}

/// What the task reports about itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    /// The database's clock as the last commit read it.
    pub(super) reading: Option<Reading>,
    /// When the oldest commit that runs began.
    pub(super) oldest: Option<Instant>,
}

pub(super) struct Writer {
    pub(super) db: Db,
    pub(super) incoming: mpsc::Receiver<Waiting>,
    /// Notified when a commit beside the one that runs is worth it.
    pub(super) enough: Arc<Notify>,
    pub(super) state: watch::Sender<State>,
}

struct Ended {
    batch: Batch<Waiting>,
    end: End,
    error: Option<Error>,
    /// If it is good for another.
    conn: Option<Conn>,
    reading: Option<Reading>,
}

impl Writer {
    pub(super) async fn run(mut self) {
        let (mut queue, mut commits, mut idle) = (Queue::default(), FuturesUnordered::new(), Vec::new());
        let mut is_open = true;
        while is_open || !queue.is_idle() {
            // Those who were answered just now may have their next one ready.
            tokio::task::yield_now().await;
            let now = Instant::now();
            while !queue.is_full()
                && let Ok(waiting) = self.incoming.try_recv()
            {
                push(&mut queue, waiting, now);
            }
            for late in queue.expire(now) {
                late.say(Err(Error::Refused(Refusal::unavailable())));
            }
            while let Some(batch) = queue.take(now) {
                commits.push(commit(batch, &self.db, idle.pop()));
            }
            self.state.send_modify(|state| state.oldest = queue.oldest());
            let wake: OptionFuture<_> = queue.wake(now).map(|at| sleep_until(at.into())).into();
            tokio::select! {
                Some(ended) = commits.next() => self.finish(&mut queue, ended, &mut idle),
                // While commits run, what arrives is taken when one ends, or when there is enough for another.
                next = self.incoming.recv(), if is_open && commits.is_empty() && !queue.is_full() => match next {
                    Some(waiting) => push(&mut queue, waiting, Instant::now()),
                    None => is_open = false,
                },
                () = self.enough.notified(), if !commits.is_empty() => {}
                Some(()) = wake => {}
                () = sleep(IDLE), if !idle.is_empty() => idle.clear(),
            }
        }
    }

    fn finish(&self, queue: &mut Queue<Waiting>, ended: Ended, idle: &mut Vec<Conn>) {
        let Ended { batch, end, mut error, conn, reading } = ended;
        if reading.is_some() {
            self.db.note_commit();
            self.state.send_modify(|state| state.reading = reading);
        }
        idle.extend(conn);
        chassis::crash_point!("ledger.before_answers");
        let noise = Duration::from_micros(u64::from(rand::random::<u16>()) / 16);
        for (waiting, answer) in queue.finish(batch, &end, noise, Instant::now()) {
            let unavailable = || Error::Refused(Refusal::unavailable());
            waiting.say(match answer {
                Answer::Decided(outcome) => Ok(outcome),
                Answer::Refused => Err(error.take().unwrap_or_else(unavailable)),
                Answer::Unknown => Err(unavailable()),
            });
        }
    }
}

fn push(queue: &mut Queue<Waiting>, mut waiting: Waiting, now: Instant) {
    let footprint = std::mem::take(&mut waiting.footprint);
    queue.push(waiting, footprint, now);
}

/// Applies movements in a commit of their own.
async fn commit(batch: Batch<Waiting>, db: &Db, conn: Option<Conn>) -> Ended {
    let undone = |batch| Ended { batch, end: End::Undone, error: None, conn: None, reading: None };
    let rows = Rows::of(batch.items.iter().map(|item| (&*item.task.movement, item.task.kept())));
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => {
            let error = Some(error);
            return Ended { end: End::Refused, error, conn, reading: None, batch };
        }
    };
    let mut conn = match conn {
        Some(conn) => conn,
        None => match timeout(CONNECT, db.conn()).await {
            Ok(Ok(conn)) => conn,
            Ok(Err(_)) | Err(_) => {
                drop(rows);
                return undone(batch);
            }
        },
    };
    // When it is over, the connection is closed, never used again.
    conn.allow(DEADLINE);
    let asked = Moment::now();
    chassis::crash_point!("ledger.before_commit");
    // A statement outside a transaction is one of its own: it is committed when it answers.
    let result = rows.apply(&mut conn, Locks::Skip).await;
    chassis::crash_point!("ledger.after_commit");
    drop(rows);
    match result {
        Ok(Done { outcomes, at }) => {
            let reading = Some(Reading::new(at, asked));
            Ended { batch, end: End::Committed(outcomes), error: None, conn: Some(conn), reading }
        }
        Err(error) => {
            let end = end_of(&error);
            tracing::warn!(%error, movements = batch.items.len(), ?end, "ledger commit failed");
            let conn = (end == End::Refused).then_some(conn);
            Ended { batch, end, error: Some(error.into()), conn, reading: None }
        }
    }
}

/// Whether the commit happened, judged by the error of a single-statement transaction.
fn end_of(error: &sqlx::Error) -> End {
    match error {
        sqlx::Error::Database(database) => match database.code().as_deref().unwrap_or_default() {
            // Lost races, timeouts, too little of something, a server that goes or comes.
            code if matches!(code.get(..2), Some("40" | "53" | "57")) || code == "55P03" => End::Undone,
            _ => End::Refused,
        },
        sqlx::Error::Encode(_) | sqlx::Error::TypeNotFound { .. } => End::Refused,
        _ => End::Unknown,
    }
}
