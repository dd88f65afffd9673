//! Migrations beside running services: a lock that is not granted within a second is given up and requested again, because
//! everything that queues behind a waiting ALTER TABLE waits as long as it does.

use std::time::Duration;

use sqlx::migrate::{Migrate, MigrateError, Migration, Migrator};
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::time::{Instant, sleep};

use super::statements::{statements, table};

/// How long a migration may wait for a lock.
const LOCK: &str = "1s";
/// A concurrent index build waits for older transactions and blocks none.
const BUILD: &str = "10min";
/// How long locks are asked for again, before the migration fails.
const PATIENCE: Duration = Duration::from_mins(10);

/// Set in the transaction that creates functions; `SET search_path FROM CURRENT` stores it in them. They read the tables of this
/// schema, in a bucket those of the first one too, and no table of a caller in their place.
pub(crate) const SEARCH_PATH: &str = "SELECT set_config('search_path', concat_ws(', ', quote_ident(current_schema()),
    CASE WHEN current_schema() <> 'public' AND 'public' = ANY (current_schemas(false)) THEN 'public' END, 'pg_temp'), true)";

/// What changes a schema.
#[derive(Clone, Copy)]
pub(super) enum What<'w> {
    /// Those of them that are pending.
    Migrations(&'w Migrator),
    /// Scripts, in one transaction, so that no call meets half of them, and one process at a time.
    Definitions(&'w [&'w str]),
}

/// What changes a schema, and which tables it leaves out, because they are in another.
#[derive(Clone, Copy)]
pub(super) struct Work<'w> {
    pub(super) what: What<'w>,
    pub(super) without: &'w [&'w str],
}

/// Whether the schema is that of a newer version: it has every migration of this one, and others beside them.
///
/// # Errors
/// If the database cannot be reached.
pub(super) async fn is_newer(pool: &PgPool, migrator: &Migrator) -> Result<bool, MigrateError> {
    // A connection of its own: where a bucket has no such table yet, its plans read that of the first one from then on.
    let mut conn = pool.acquire().await?.detach();
    let applied = match conn.list_applied_migrations(&migrator.table_name).await {
        // Before the first migration.
        Err(error) if has_code(&error, "42P01") => return Ok(false),
        applied => applied?,
    };
    let failed = conn.dirty_version(&migrator.table_name).await?;
    let has = |version, checksum: &[u8]| {
        applied.iter().any(|one| one.version == version && *one.checksum == *checksum) && failed != Some(version)
    };
    let others = applied.iter().any(|one| !migrator.version_exists(one.version));
    Ok(others && migrator.iter().all(|migration| has(migration.version, &migration.checksum)))
}

/// Changes the schema.
///
/// # Errors
/// If the database cannot be reached, a change fails, or a lock is not granted within ten minutes.
pub(super) async fn run(pool: &PgPool, work: Work<'_>) -> Result<(), MigrateError> {
    let end = Instant::now() + PATIENCE;
    loop {
        // A connection a try: a failed one leaves the lock of all migrators taken.
        let mut conn = pool.acquire().await?.detach();
        let done = match work.what {
            What::Migrations(migrator) => run_pending(&mut conn, migrator, work.without).await,
            What::Definitions(scripts) => define(&mut conn, scripts, work.without).await,
        };
        match done {
            Err(error) if is_lock_timeout(&error) && Instant::now() < end => {
                tracing::warn!(%error, "migration is waiting for a lock");
                sleep(Duration::from_millis(rand::random_range(500..2_000))).await;
            }
            done => return done,
        }
    }
}

async fn run_pending(conn: &mut PgConnection, migrator: &Migrator, without: &[&str]) -> Result<(), MigrateError> {
    drop_failed_indexes(conn).await?;
    let table = &migrator.table_name;
    conn.lock().await?;
    conn.ensure_migrations_table(table).await?;
    if let Some(version) = conn.dirty_version(table).await? {
        return Err(MigrateError::Dirty(version));
    }
    let applied = conn.list_applied_migrations(table).await?;
    if let Some(missing) = applied.iter().find(|one| !migrator.version_exists(one.version)) {
        return Err(MigrateError::VersionMissing(missing.version));
    }
    for migration in migrator.iter() {
        match applied.iter().find(|one| one.version == migration.version) {
            Some(one) if one.checksum == migration.checksum => {}
            Some(one) => return Err(MigrateError::VersionMismatch(one.version)),
            None => apply(conn, table, (migration, without)).await?,
        }
    }
    conn.unlock().await
}

/// Applies a migration, one statement a query: a distributed engine takes no more. It is noted in its transaction, or after it
/// if it runs outside one.
async fn apply(
    conn: &mut PgConnection,
    table: &str,
    (migration, without): (&Migration, &[&str]),
) -> Result<(), MigrateError> {
    let failed = |error| MigrateError::ExecuteMigration(error, migration.version);
    wait_for_locks(conn, if migration.no_tx { BUILD } else { LOCK }).await?;
    if migration.no_tx {
        execute(conn, migration.sql.as_str(), without).await.map_err(failed)?;
        return conn.skip(table, migration).await;
    }
    let mut tx = conn.begin().await?;
    tx.execute(SEARCH_PATH).await.map_err(failed)?;
    execute(&mut tx, migration.sql.as_str(), without).await.map_err(failed)?;
    tx.skip(table, migration).await?;
    Ok(tx.commit().await?)
}

async fn define(conn: &mut PgConnection, scripts: &[&str], without: &[&str]) -> Result<(), MigrateError> {
    wait_for_locks(conn, LOCK).await?;
    let mut tx = conn.begin().await?;
    tx.execute("SELECT pg_advisory_xact_lock(hashtext('definitions'))").await?;
    tx.execute(SEARCH_PATH).await?;
    for script in scripts {
        execute(&mut tx, script, without).await?;
    }
    Ok(tx.commit().await?)
}

async fn execute(conn: &mut PgConnection, script: &str, without: &[&str]) -> Result<(), sqlx::Error> {
    let is_left_out = |statement: &&str| table(statement).is_some_and(|name| without.contains(&name));
    for statement in statements(script).filter(|statement| !is_left_out(statement)) {
        conn.execute(AssertSqlSafe(statement.to_owned())).await?;
    }
    Ok(())
}

async fn wait_for_locks(conn: &mut PgConnection, limit: &str) -> Result<(), sqlx::Error> {
    conn.execute(AssertSqlSafe(format!("SET lock_timeout = '{limit}'"))).await?;
    Ok(())
}

/// An index whose concurrent build failed stays behind invalid, under its name, and is built again.
async fn drop_failed_indexes(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let failed = sqlx::query_scalar!(
        r#"SELECT indexrelid::regclass::text AS "name!" FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
         WHERE NOT indisvalid AND relkind = 'i' AND relnamespace = current_schema()::regnamespace"#
    )
    .fetch_all(&mut *conn)
    .await?;
    for index in failed {
        conn.execute(AssertSqlSafe(format!("DROP INDEX CONCURRENTLY IF EXISTS {index}"))).await?;
    }
    Ok(())
}

fn is_lock_timeout(error: &MigrateError) -> bool {
    has_code(error, "55P03")
}

/// Whether the database gave this code.
fn has_code(error: &MigrateError, code: &str) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else { return false };
    error.as_database_error().and_then(|error| error.code()).is_some_and(|given| given == code)
}
