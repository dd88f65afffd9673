//! PostgreSQL: the pool, the only way to begin a transaction, retries, and migrations.

mod buckets;
mod connection;
mod failure;
mod migrations;
mod reads;
mod schema;
mod statements;
mod warm;

use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, Postgres};
use sqlx::query::Query;
use tokio::sync::Notify;
use tokio::time::timeout;

pub use self::buckets::{BucketSize, Buckets, Home};
pub use self::connection::{LIMIT, PgConnection};
use self::connection::{Source, look};
pub(crate) use self::failure::is_changing_over;
pub use self::failure::{constraint, is_unstorable, retry_after};
#[cfg(feature = "testing")]
pub(crate) use self::migrations::SEARCH_PATH;
pub use self::reads::{Aged, Reads};
#[cfg(feature = "testing")]
pub(crate) use self::schema::chassis_migrations;
pub use self::schema::{Bucketed, Schema, add_buckets, administer, buckets_of, migrate, migrate_url, open_buckets};
use self::warm::Warm;
use crate::error::Fault;

/// How long a use waits for a connection.
const ACQUIRE: Duration = Duration::from_secs(3);
/// How often a transaction that lost a race, or its connection before it began, is tried.
const TRIES: u32 = 3;

/// Settings of every session; one that the URL names as `options[name]=value` wins.
const SETTINGS: [(&str, &str); 8] = [
    ("statement_timeout", "5s"),
    ("lock_timeout", "2s"),
    ("idle_in_transaction_session_timeout", "10s"),
    // The server's side of a connection whose client vanished: its locks go with it.
    ("client_connection_check_interval", "1s"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "2"),
    ("tcp_user_timeout", "15000"),
];

fn connect_options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?;
    let given = options.get_options().unwrap_or_default().to_owned();
    Ok(options.options(SETTINGS.into_iter().filter(|(name, _)| !given.contains(&format!("-c {name}=")))))
}

/// Minimum connections of a further bucket: two commits, and two others.
const LEAST: u32 = 4;

/// With one bucket, the tables are where the URL says.
fn in_bucket(options: PgConnectOptions, Home { buckets, bucket }: Home) -> PgConnectOptions {
    if buckets.count == 1 { options } else { options.options([("search_path", buckets.search_path(bucket))]) }
}

/// A schema that is missing from a search path is passed over: the tables of the first bucket would be taken for this one's. And
/// who knows only some of the buckets takes what is in the others for missing.
async fn make_sure(conn: &mut sqlx::PgConnection, Home { buckets, bucket }: Home) -> Result<(), sqlx::Error> {
    if buckets == Buckets::ONE {
        return Ok(());
    }
    let found = sqlx::query_scalar!(r#"SELECT current_schema()::text AS "schema""#).fetch_one(&mut *conn).await?;
    let schema = buckets.schema(bucket);
    if bucket > 0 && found.as_deref() != Some(&*schema) {
        return Err(sqlx::Error::Configuration(format!("there is no schema {schema}").into()));
    }
    buckets::make_sure(conn, buckets.count).await
}

/// Connections of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Connections to the server now.
    pub open: u32,
    /// Open connections without a user.
    pub idle: u32,
    /// The limit of open connections, of this bucket alone.
    pub most: u32,
}

/// A service's database.
#[derive(Clone)]
pub struct Db {
    source: Source,
    committed: Arc<Notify>,
}

impl Db {
    /// A pool that connects on first need, so that a late database needs no restart.
    ///
    /// # Errors
    /// If the URL is malformed.
    pub fn connect_lazy(url: &str, max_connections: u32) -> Result<Self, sqlx::Error> {
        Ok(Self::connect_with(connect_options(url)?, max_connections, Home::ONLY))
    }

    /// The same for each bucket: the first, which also reads in all others, with this many connections, and the others with a
    /// share of as many.
    ///
    /// # Errors
    /// If the URL is malformed.
    pub fn connect_buckets(url: &str, max_connections: u32, buckets: Buckets) -> Result<Vec<Self>, sqlx::Error> {
        let options = connect_options(url)?;
        let connect = |bucket| Self::connect_with(options.clone(), max_connections, Home { buckets, bucket });
        Ok((0..buckets.count).map(connect).collect())
    }

    /// The same for a server from which this process only reads: nothing can be written through it.
    ///
    /// # Errors
    /// If the URL is malformed.
    fn connect_read_only(url: &str, max_connections: u32, home: Home) -> Result<Self, sqlx::Error> {
        let options = connect_options(url)?.options([("default_transaction_read_only", "on")]);
        Ok(Self::connect_with(options, max_connections, home))
    }

    fn connect_with(options: PgConnectOptions, max_connections: u32, home: Home) -> Self {
        let share = match home.bucket {
            0 => max_connections,
            _ => max_connections.div_ceil(home.buckets.count.into()).max(max_connections.min(LEAST)),
        };
        let pool = PgPoolOptions::new()
            .max_connections(share)
            .acquire_timeout(ACQUIRE)
            .after_connect(move |conn, _| Box::pin(make_sure(conn, home)))
            .test_before_acquire(false)
            .before_acquire(|conn, meta| {
                Box::pin(async move {
                    look(conn, meta.idle_for).await?;
                    Ok(true)
                })
            })
            .connect_lazy_with(in_bucket(options, home));
        Self { source: Source { home, ..Self::over(pool).source }, committed: Arc::new(Notify::new()) }
    }

    /// Uses a pool exclusively: connections that were just used stay out of it for their next use.
    #[must_use]
    pub fn over(pool: PgPool) -> Self {
        let warm = Some(Warm::new(pool.options().get_max_connections()));
        Self { source: Source { pool, warm, home: Home::ONLY }, committed: Arc::new(Notify::new()) }
    }

    /// Shares a pool with other users: every connection goes back to it after each use.
    #[must_use]
    pub fn from_pool(pool: PgPool) -> Self {
        Self { source: Source { pool, warm: None, home: Home::ONLY }, committed: Arc::new(Notify::new()) }
    }

    /// The same for a bucket, with a pool of its own beside that of the first.
    #[must_use]
    pub fn from_pool_of(pool: PgPool, home: Home) -> Self {
        let pool = match home.bucket {
            0 => pool,
            _ => {
                let options = in_bucket((*pool.connect_options()).clone(), home);
                pool.options().clone().connect_lazy_with(options)
            }
        };
        Self { source: Source { home, ..Self::from_pool(pool).source }, committed: Arc::new(Notify::new()) }
    }

    /// Which of the buckets it is.
    #[must_use]
    pub const fn home(&self) -> Home {
        self.source.home
    }

    /// A connection for statements that stand alone.
    pub async fn conn(&self) -> Result<Box<PgConnection>, sqlx::Error> {
        let conn = timeout(ACQUIRE, self.source.borrow()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
        Ok(Box::new(conn))
    }

    /// Begins a transaction.
    ///
    /// Not sqlx's: in 0.9 a cancelled `begin` leaves an open transaction on the pooled connection, and what the next
    /// borrower writes stays invisible and is lost. Here the connection of a cancelled begin is closed.
    ///
    /// A lost connection is replaced: a transaction that has not begun has had no effect.
    pub async fn begin(&self) -> Result<Tx, sqlx::Error> {
        self.begin_by("BEGIN").await
    }

    /// The same at one moment: what it reads, in whichever bucket, is as it was at its first statement.
    pub async fn begin_snapshot(&self) -> Result<Tx, sqlx::Error> {
        self.begin_by("BEGIN ISOLATION LEVEL REPEATABLE READ").await
    }

    async fn begin_by(&self, statement: &'static str) -> Result<Tx, sqlx::Error> {
        let mut tries = 1;
        loop {
            let mut conn = self.conn().await?;
            match conn.begin(statement).await {
                Ok(()) => return Ok(Tx { conn, committed: Arc::clone(&self.committed) }),
                Err(error) if tries < TRIES && retry_after(&error).is_some() => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Wakes the relay after a single-statement transaction that wrote events.
    pub fn note_commit(&self) {
        self.committed.notify_one();
    }

    /// Resolves after a commit of this process, so that the relay need not wait for its next look.
    pub async fn committed(&self) {
        self.committed.notified().await;
    }

    /// Whether the database answers.
    pub async fn is_up(&self) -> bool {
        let ping = async { sqlx::query!("SELECT 1 AS one").fetch_one(&mut *self.conn().await?).await };
        matches!(timeout(Duration::from_secs(2), ping).await, Ok(Ok(_)))
    }

    /// How many connections there are, and how many of them idle.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let (pool, warm) = (&self.source.pool, self.source.warm.as_ref().map_or(0, |warm| warm.len()));
        let idle = u32::try_from(pool.num_idle() + warm).unwrap_or(u32::MAX);
        Usage { open: pool.size(), idle, most: pool.options().get_max_connections() }
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.source.close_idle();
        self.source.pool.close().await;
    }
}

/// A transaction; rolled back unless committed.
pub struct Tx {
    conn: Box<PgConnection>,
    committed: Arc<Notify>,
}

impl Tx {
    /// Makes everything in it durable.
    ///
    /// # Errors
    /// The database's. A lost connection leaves it unknown whether the commit happened: only an idempotency key shows it.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.conn.end("COMMIT").await?;
        self.committed.notify_one();
        Ok(())
    }

    /// Undoes everything in it now; a transaction that is dropped is undone when its connection goes back to the pool.
    ///
    /// # Errors
    /// If the connection is lost: the server rolls back when it notices.
    pub async fn rollback(mut self) -> Result<(), sqlx::Error> {
        self.conn.end("ROLLBACK").await
    }
}

impl Deref for Tx {
    type Target = PgConnection;
    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}

/// Runs a statement that deletes one batch until it finds nothing. Returns how many rows went.
///
/// # Errors
/// The first error of the statement; batches before it stay deleted.
pub async fn sweep(db: &Db, batch: impl Fn() -> Query<'static, Postgres, PgArguments>) -> Result<u64, sqlx::Error> {
    let mut swept = 0;
    loop {
        let done = batch().execute(&mut *db.conn().await?).await?.rows_affected();
        swept += done;
        if done == 0 {
            return Ok(swept);
        }
    }
}

/// Runs a use case again, at most three times in all, while its transaction lost a race (40001, 40P01).
///
/// # Errors
/// The use case's.
pub async fn retrying<T, E, F>(mut attempt: impl FnMut() -> F) -> Result<T, E>
where
    E: Fault,
    F: Future<Output = Result<T, E>>,
{
    let mut tries = 1;
    loop {
        let result = attempt().await;
        let lost_race = result.as_ref().err().and_then(Fault::database).is_some_and(|error| {
            let code = error.as_database_error().and_then(|database| database.code());
            matches!(code.as_deref(), Some("40001" | "40P01"))
        });
        if !lost_race || tries == TRIES {
            return result;
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(5..50) * u64::from(tries))).await;
        tries += 1;
    }
}
