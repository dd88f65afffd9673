//! A connection with a deadline for every call: if the server does not respond, the connection is closed.
//!
//! The server's own timeouts do not help if the server or the network is gone: sqlx sets neither keepalive nor a user
//! timeout on its sockets, so a read from a vanished peer never ends.

use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Describe, Either, Error, Execute, Executor, Postgres, SqlStr};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout, timeout_at};

use super::failure::retry_after;

/// How long the database may take to answer a statement, a begin or a commit.
pub const LIMIT: Duration = Duration::from_secs(4);
/// How long a connection may take to become usable again when its borrower is done with it.
const RELEASE: Duration = Duration::from_secs(1);

/// A connection borrowed from the pool. Whatever it asks of the database is answered within its limit, or fails with
/// [`ErrorKind::TimedOut`]; then the connection is closed, never used again.
pub struct PgConnection {
    /// Taken when it is dropped.
    inner: Option<PoolConnection<Postgres>>,
    pool: PgPool,
    limit: Duration,
    is_lost: bool,
    in_transaction: bool,
}

impl PgConnection {
    pub(super) fn new(inner: PoolConnection<Postgres>, pool: PgPool) -> Self {
        Self { inner: Some(inner), pool, limit: LIMIT, is_lost: false, in_transaction: false }
    }

    /// Gives the calls of this borrower another limit than [`LIMIT`]; the server's `statement_timeout` is not touched.
    pub fn allow(&mut self, limit: Duration) {
        self.limit = limit;
    }

    pub(super) async fn begin(&mut self) -> Result<(), Error> {
        self.control("BEGIN").await?;
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
                let call = Call { limit: self.limit, is_lost: &mut self.is_lost, pool: &self.pool };
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
    pool: &'c PgPool,
}

impl Call<'_> {
    async fn within<T>(self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        match timeout(self.limit, work).await {
            // A server that stopped being the one that writes would refuse the next borrower too.
            Ok(Err(error)) if retry_after(&error).is_some() => {
                self.lose();
                Err(error)
            }
            Ok(result) => result,
            Err(_) => Err(self.give_up()),
        }
    }

    /// The connection is lost. The idle ones went the same way, most likely, and would be found out one by one: by a call and
    /// each of its repetitions.
    fn lose(self) {
        *self.is_lost = true;
        while let Some(idle) = self.pool.try_acquire() {
            drop(idle.detach());
        }
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
        let rows = Some((conn.fetch_many(query), call));
        stream::unfold(rows, move |rows| async move {
            let (mut rows, call) = rows?;
            match timeout_at(deadline, rows.next()).await {
                Ok(Some(Err(error))) if retry_after(&error).is_some() => {
                    call.lose();
                    Some((Err(error), None))
                }
                Ok(row) => Some((row?, Some((rows, call)))),
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
        let Some(mut conn) = self.inner.take() else { return };
        let (Ok(runtime), false) = (Handle::try_current(), self.is_lost) else {
            drop(conn.detach());
            return;
        };
        let in_transaction = self.in_transaction;
        runtime.spawn(async move {
            if in_transaction && !matches!(timeout(RELEASE, conn.execute("ROLLBACK")).await, Ok(Ok(_))) {
                drop(conn.detach());
                return;
            }
            // This waits for the answer to whatever was cancelled; given up itself, it closes the connection.
            let _ = timeout(RELEASE, conn.return_to_pool()).await;
        });
    }
}

impl fmt::Debug for PgConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PgConnection").field("is_lost", &self.is_lost).finish_non_exhaustive()
    }
}
