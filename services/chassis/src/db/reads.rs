//! Reads that a standby may answer, where data of some seconds ago will do. What is decided never reads here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;
use tokio::time::{Instant, sleep, timeout};

use super::{Db, PgConnection};
use crate::error::Fault;

/// How long a standby may take to say how far it is.
const LOOK: Duration = Duration::from_millis(500);
/// How long the primary is asked instead of a standby that failed.
const AWAY: Duration = Duration::from_secs(10);
/// How long a read that has to be current waits for the standby to catch up.
const CATCH_UP: Duration = Duration::from_millis(250);
/// How often it looks meanwhile.
const PAUSE: Duration = Duration::from_millis(20);
/// Data that is older than this is said to be.
const NOTED: time::Duration = time::Duration::seconds(5);

/// Where reads go: to a standby if there is one, and to the primary while it does not answer.
#[derive(Clone)]
pub struct Reads {
    primary: Db,
    standby: Option<Standby>,
}

#[derive(Clone)]
struct Standby {
    db: Db,
    /// Until when it is not asked, after it failed.
    away: Arc<Mutex<Option<Instant>>>,
}

/// What was read, and of when it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aged<T> {
    /// What was read.
    pub value: T,
    /// When it was current, if that is more than five seconds ago.
    pub as_of: Option<OffsetDateTime>,
}

impl Reads {
    /// Reads from the server at this URL, or from the primary without one. Nothing can be written through it.
    ///
    /// # Errors
    /// If the URL is malformed.
    pub fn new(primary: Db, url: Option<&str>, connections: u32) -> Result<Self, sqlx::Error> {
        let home = primary.home();
        let db =
            url.filter(|url| !url.is_empty()).map(|url| Db::connect_read_only(url, connections, home)).transpose()?;
        Ok(Self { primary, standby: db.map(|db| Standby { db, away: Arc::default() }) })
    }

    /// For what has to be of now.
    #[must_use]
    pub const fn primary(&self) -> &Db {
        &self.primary
    }

    /// Reads that may be some seconds old.
    ///
    /// # Errors
    /// The read's.
    pub async fn read<T, E, F>(&self, read: impl Fn(Box<PgConnection>) -> F) -> Result<Aged<T>, E>
    where
        E: Fault + From<sqlx::Error>,
        F: Future<Output = Result<T, E>>,
    {
        self.read_within(None, read).await
    }

    /// Reads everything that was committed before: on a standby that has it, or catches up at once.
    ///
    /// # Errors
    /// The read's.
    pub async fn read_current<T, E, F>(&self, read: impl Fn(Box<PgConnection>) -> F) -> Result<T, E>
    where
        E: Fault + From<sqlx::Error>,
        F: Future<Output = Result<T, E>>,
    {
        self.read_within(Some(CATCH_UP), read).await.map(|read| read.value)
    }

    async fn read_within<T, E, F>(
        &self,
        patience: Option<Duration>,
        read: impl Fn(Box<PgConnection>) -> F,
    ) -> Result<Aged<T>, E>
    where
        E: Fault + From<sqlx::Error>,
        F: Future<Output = Result<T, E>>,
    {
        if let Some(standby) = self.standby.as_ref().filter(|standby| !standby.is_away()) {
            let position = position(&mut *self.primary.conn().await?).await?;
            match standby.open(&position, patience).await {
                Ok(Some((conn, as_of))) => match read(conn).await {
                    Ok(value) => {
                        metrics::counter!("standby_reads_total", "answer" => "answered").increment(1);
                        return Ok(Aged { value, as_of });
                    }
                    Err(error) if error.database().is_none() => return Err(error),
                    Err(error) => standby.leave(&error),
                },
                Ok(None) => metrics::counter!("standby_reads_total", "answer" => "behind").increment(1),
                Err(error) => standby.leave(&error),
            }
        }
        Ok(Aged { value: read(self.primary.conn().await?).await?, as_of: None })
    }
}

impl Standby {
    fn is_away(&self) -> bool {
        self.away.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| Instant::now() < until)
    }

    /// The primary is asked for a while: each try of a standby that is gone costs its caller time.
    fn leave(&self, error: &(dyn std::error::Error + Send + Sync)) {
        tracing::warn!(error = %error, "the standby does not answer: reads go to the primary");
        metrics::counter!("standby_reads_total", "answer" => "failed").increment(1);
        *self.away.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + AWAY);
    }

    /// A connection, and of when its data are if they are old. `None` if the standby stays behind this position for longer
    /// than the caller's patience; a caller without one takes what is there.
    async fn open(&self, position: &str, patience: Option<Duration>) -> Result<Option<Opened>, sqlx::Error> {
        let away = |_| sqlx::Error::PoolTimedOut;
        let mut conn = timeout(LOOK, self.db.conn()).await.map_err(away)??;
        let limit = Instant::now() + patience.unwrap_or_default();
        loop {
            let found = timeout(LOOK, progress(&mut conn, position)).await.map_err(away)??;
            if found.is_current {
                return Ok(Some((conn, None)));
            }
            if patience.is_none() {
                // One that has replayed nothing since it started does not know how old its data are.
                return Ok(found.replayed_at.map(|at| (conn, Some(at).filter(|at| found.now - *at > NOTED))));
            }
            if Instant::now() >= limit {
                return Ok(None);
            }
            sleep(PAUSE).await;
        }
    }
}

type Opened = (Box<PgConnection>, Option<OffsetDateTime>);

/// Where the log of the primary ends: behind everything that was committed.
async fn position(conn: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT pg_current_wal_insert_lsn()::text AS "position!""#).fetch_one(conn).await
}

struct Progress {
    is_current: bool,
    replayed_at: Option<OffsetDateTime>,
    now: OffsetDateTime,
}

/// How far a server is that replays the log of the primary, or was promoted.
async fn progress(conn: &mut PgConnection, position: &str) -> Result<Progress, sqlx::Error> {
    sqlx::query_as!(
        Progress,
        r#"SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END
                >= $1::text::pg_lsn) AS "is_current!",
            pg_last_xact_replay_timestamp() AS replayed_at, clock_timestamp() AS "now!""#,
        position
    )
    .fetch_one(conn)
    .await
}
