//! Connections that were used a moment ago. sqlx hands its connections out in turn and asks the server after each use
//! whether it is there. At low load that is a second round trip for every statement, on a session whose plans and
//! catalogs are colder than those of the last one. Here the last one is used again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::postgres::Postgres;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a connection stays away from the pool, which ends those that have lived too long.
const AWAY: Duration = Duration::from_secs(60);
/// How long a connection waits here for its next use.
const UNUSED: Duration = Duration::from_secs(10);

/// Idle connections, the most recently used last. Each borrowed connection holds a permit, also one of the pool.
pub(super) struct Warm {
    permits: Arc<Semaphore>,
    idle: Mutex<VecDeque<Idle>>,
}

/// A connection between two uses.
pub(super) struct Idle {
    pub(super) conn: PoolConnection<Postgres>,
    /// When it came from the pool.
    pub(super) borrowed: Instant,
    pub(super) used: Instant,
}

impl Warm {
    /// For a pool of this many connections.
    pub(super) fn new(connections: u32) -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(connections as usize));
        Arc::new(Self { permits, idle: Mutex::new(VecDeque::new()) })
    }

    /// Waits for a permit, and takes the most recently used connection. If none is idle, the pool has one free.
    pub(super) async fn take(&self) -> (Option<OwnedSemaphorePermit>, Option<Idle>) {
        // Never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        (permit, self.lock().pop_back())
    }

    /// Keeps a connection for its next use, unless it has to go back to the pool: then it is returned.
    pub(super) fn put(&self, conn: PoolConnection<Postgres>, borrowed: Instant) -> Option<PoolConnection<Postgres>> {
        let used = Instant::now();
        if used.duration_since(borrowed) > AWAY {
            return Some(conn);
        }
        let mut idle = self.lock();
        idle.push_back(Idle { conn, borrowed, used });
        let is_spare = idle.front().is_some_and(|first| used.duration_since(first.used) > UNUSED);
        if is_spare { idle.pop_front().map(|first| first.conn) } else { None }
    }

    /// All of them, to be closed.
    pub(super) fn drain(&self) -> VecDeque<Idle> {
        std::mem::take(&mut *self.lock())
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
