//! A connection with a deadline for every call: if the server does not respond, the connection is closed.
//!
//! The server's own timeouts do not help if the server or the network is gone: sqlx sets neither keepalive nor a user
//! timeout on its sockets, so a read from a vanished peer never ends.

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Connection, Describe, Either, Error, Execute, Executor, Postgres, SqlStr};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};

use super::buckets::Home;
use super::failure::retry_after;
use super::warm::{Idle, Warm};

/// How long the database may take to answer a statement, a begin or a commit.
pub const LIMIT: Duration = Duration::from_secs(4);
/// A connection that idled for longer is looked at before it is used: its server may have gone, or ended the session. Under
/// load none idles so long, so that the look costs no throughput.
const IDLE: Duration = Duration::from_millis(10);
/// How long that look may take.
const LOOK: Duration = Duration::from_millis(500);
/// How long a connection may take to become usable again when its borrower is done with it.
const RELEASE: Duration = Duration::from_secs(1);
/// The bucket of a connection between two.
const ON_THE_WAY: u16 = u16::MAX;

/// Makes sure that the server is there behind a connection that has idled.
pub(super) async fn look(conn: &mut sqlx::PgConnection, idle: Duration) -> Result<(), Error> {
    if idle > IDLE {
        let gone = |_| Error::Io(ErrorKind::TimedOut.into());
        timeout(LOOK, conn.ping()).await.map_err(gone)??;
    }
    Ok(())
}

/// Where connections come from and go back to.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) pool: PgPool,
    /// Unset if others use the pool too.
    pub(super) warm: Option<Arc<Warm>>,
    /// Where its connections find their tables.
    pub(super) home: Home,
}

impl Source {
    /// The most recently used connection, or one of the pool.
    pub(super) async fn borrow(&self) -> Result<PgConnection, Error> {
        let (permit, idle) = match &self.warm {
            Some(warm) => warm.take().await,
            None => (None, None),
        };
        if let Some(Idle { mut conn, borrowed, used }) = idle {
            if look(&mut conn, used.elapsed()).await.is_ok() {
                return Ok(PgConnection::new(conn, self.clone(), borrowed.into(), permit));
            }
            drop(conn.detach());
            self.close_idle();
        }
        Ok(PgConnection::new(self.pool.acquire().await?, self.clone(), Instant::now(), permit))
    }

    /// Closes the connections that idle.
    pub(super) fn close_idle(&self) {
        for idle in self.warm.iter().flat_map(|warm| warm.drain()) {
            drop(idle.conn.detach());
        }
        while let Some(idle) = self.pool.try_acquire() {
            drop(idle.detach());
        }
    }
}

/// A borrowed connection. Every statement is answered within its limit, or fails with
/// [`ErrorKind::TimedOut`]; then the connection is closed, never used again.
pub struct PgConnection {
    /// Taken when it is dropped.
    inner: Option<PoolConnection<Postgres>>,
    source: Source,
    /// The bucket in which it is.
    at: u16,
    /// When it came from the pool.
    borrowed: Instant,
    /// Released after the connection.
    permit: Option<OwnedSemaphorePermit>,
    limit: Duration,
    is_lost: bool,
    /// Whether a call has not been answered to its end, because it was cancelled.
    is_busy: bool,
    in_transaction: bool,
}

impl PgConnection {
    fn new(
        inner: PoolConnection<Postgres>,
        source: Source,
        borrowed: Instant,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let (limit, inner, at) = (LIMIT, Some(inner), source.home.bucket);
        Self { inner, source, at, borrowed, permit, limit, is_lost: false, is_busy: false, in_transaction: false }
    }

    /// The bucket that the connection belongs to.
    #[must_use]
    pub fn home(&self) -> u16 {
        self.source.home.bucket
    }

    /// How many buckets there are.
    #[must_use]
    pub fn buckets(&self) -> u16 {
        self.source.home.buckets.count
    }

    /// Goes to a bucket: statements find its tables from here on, until the connection enters another. One that is dropped away from
    /// home is closed. With one bucket it is always there.
    ///
    /// # Errors
    /// The database's, also if the bucket is missing: its tables would be taken for those of the first one.
    pub async fn enter(&mut self, bucket: u16) -> Result<(), Error> {
        if bucket == self.at {
            return Ok(());
        }
        let buckets = self.source.home.buckets;
        if bucket >= buckets.count {
            return Err(Error::Configuration(format!("bucket {bucket} is not one of {}", buckets.count).into()));
        }
        // A call that was cancelled may have gone.
        self.at = ON_THE_WAY;
        let schema = buckets.schema(bucket);
        let entered = sqlx::query_scalar!(
            r#"SELECT set_config('search_path', $1, false) AS "path!" WHERE has_schema_privilege(to_regnamespace($2), 'USAGE')"#,
            buckets.search_path(bucket),
            schema
        );
        if entered.fetch_optional(&mut *self).await?.is_none() {
            return Err(Error::Configuration(format!("there is no schema {schema}").into()));
        }
        self.at = bucket;
        Ok(())
    }

    /// Gives the calls of this borrower another limit than [`LIMIT`]; the server's `statement_timeout` is not touched.
    pub fn allow(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Begins a transaction by a form of `BEGIN`.
    pub(super) async fn begin(&mut self, statement: &'static str) -> Result<(), Error> {
        self.control(statement).await?;
        self.in_transaction = true;
        Ok(())
    }

    /// Ends the transaction by `COMMIT` or `ROLLBACK`; after either, or a refusal of the server, none is open.
    pub(super) async fn end(&mut self, statement: &'static str) -> Result<(), Error> {
        self.control(statement).await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Until the server has answered, the connection counts as lost: after a begin or commit that was cancelled half way
    /// it is unknown whether a transaction is open on it.
    async fn control(&mut self, statement: &'static str) -> Result<(), Error> {
        let (conn, call) = self.call()?;
        *call.is_lost = true;
        let done = timeout(call.limit, conn.execute(statement)).await;
        match done {
            Ok(Ok(_)) => *call.is_lost = false,
            // The server refused: it is there, and a transaction that it would not commit is over.
            Ok(Err(error @ Error::Database(_))) if retry_after(&error).is_none() => {
                *call.is_lost = false;
                self.in_transaction = false;
                return Err(error);
            }
            Ok(Err(error)) => {
                call.lose();
                return Err(error);
            }
            Err(_) => return Err(call.give_up()),
        }
        Ok(())
    }

    fn call(&mut self) -> Result<(&mut sqlx::PgConnection, Call<'_>), Error> {
        match &mut self.inner {
            Some(inner) if !self.is_lost => {
                let call = Call {
                    limit: self.limit,
                    is_lost: &mut self.is_lost,
                    is_busy: &mut self.is_busy,
                    source: &self.source,
                };
                Ok((inner, call))
            }
            _ => Err(silent()),
        }
    }
}

/// What a call needs besides the connection.
struct Call<'c> {
    limit: Duration,
    is_lost: &'c mut bool,
    is_busy: &'c mut bool,
    source: &'c Source,
}

impl Call<'_> {
    async fn within<T>(self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        *self.is_busy = true;
        match timeout(self.limit, work).await {
            // A server that stopped being the one that writes would refuse the next borrower too.
            Ok(Err(error)) if retry_after(&error).is_some() => {
                self.lose();
                Err(error)
            }
            Ok(result) => {
                *self.is_busy = result.is_err();
                result
            }
            Err(_) => Err(self.give_up()),
        }
    }

    /// The connection is lost. The idle ones went the same way, most likely, and would be found out one by one: by a call and
    /// each of its repetitions.
    fn lose(self) {
        *self.is_lost = true;
        self.source.close_idle();
    }

    fn give_up(self) -> Error {
        self.lose();
        silent()
    }
}

fn silent() -> Error {
    Error::Io(std::io::Error::new(ErrorKind::TimedOut, "the database did not answer in time"))
}

impl<'c> Executor<'c> for &'c mut PgConnection {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let (conn, call) = match self.call() {
            Ok(called) => called,
            Err(error) => return stream::once(async { Err(error) }).boxed(),
        };
        let deadline = Instant::now() + call.limit;
        *call.is_busy = true;
        let rows = Some((conn.fetch_many(query), call));
        stream::unfold(rows, move |rows| async move {
            let (mut rows, call) = rows?;
            match timeout_at(deadline, rows.next()).await {
                Ok(Some(Err(error))) if retry_after(&error).is_some() => {
                    call.lose();
                    Some((Err(error), None))
                }
                Ok(Some(row)) => Some((row, Some((rows, call)))),
                Ok(None) => {
                    *call.is_busy = false;
                    None
                }
                Err(_) => Some((Err(call.give_up()), None)),
            }
        })
        .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move {
            let (conn, call) = self.call()?;
            call.within(conn.fetch_optional(query)).await
        })
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let (conn, call) = self.call()?;
            call.within(conn.prepare_with(sql, parameters)).await
        })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let (conn, call) = self.call()?;
            call.within(conn.describe(sql)).await
        })
    }
}

impl Drop for PgConnection {
    fn drop(&mut self) {
        let Some(conn) = self.inner.take() else { return };
        // The next borrower would find the tables of another bucket.
        if self.is_lost || self.at != self.source.home.bucket {
            drop(conn.detach());
            return;
        }
        let is_ready = !self.is_busy && !self.in_transaction && !self.source.pool.is_closed();
        let back = match &self.source.warm {
            Some(warm) if is_ready => warm.put(conn, self.borrowed.into()),
            _ => Some(conn),
        };
        let Some(mut conn) = back else { return };
        let Ok(runtime) = Handle::try_current() else {
            drop(conn.detach());
            return;
        };
        let (in_transaction, permit) = (self.in_transaction, self.permit.take());
        runtime.spawn(async move {
            let _permit = permit;
            if in_transaction && !matches!(timeout(RELEASE, conn.execute("ROLLBACK")).await, Ok(Ok(_))) {
                drop(conn.detach());
                return;
            }
            // This waits for the answer to what was cancelled; given up itself, it closes the connection.
            let _ = timeout(RELEASE, conn.return_to_pool()).await;
        });
    }
}

impl fmt::Debug for PgConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PgConnection").field("is_lost", &self.is_lost).finish_non_exhaustive()
    }
}
