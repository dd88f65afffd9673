//! Migrations beside running services: a lock that is not to be had within a second is given up and asked for again, for
//! everything that queues behind a waiting ALTER TABLE waits as long as it does.

use std::time::Duration;

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Executor, PgConnection};
use tokio::time::{Instant, sleep};

/// How long a migration may wait for a lock.
const LOCK: &str = "1s";
/// A concurrent index build waits for the transactions of before, and holds up none.
const BUILD: &str = "10min";
/// How long locks are asked for again, before the migration fails.
const PATIENCE: Duration = Duration::from_mins(10);

/// What changes a schema.
#[derive(Clone, Copy)]
pub(super) enum Work<'w> {
    /// Those of them that are pending.
    Migrations(&'w Migrator),
    /// SQL that begins and ends its own transaction.
    Definitions(&'w str),
}

/// Whether the schema is that of a newer version: it has every migration of this one, and others beside them.
///
/// # Errors
/// If the database cannot be reached.
pub(super) async fn is_newer(pool: &PgPool, migrator: &Migrator) -> Result<bool, MigrateError> {
    let mut conn = pool.acquire().await?;
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
/// If the database cannot be reached, a change fails, or a lock is not to be had for ten minutes.
pub(super) async fn run(pool: &PgPool, work: Work<'_>) -> Result<(), MigrateError> {
    let end = Instant::now() + PATIENCE;
    loop {
        // A connection a try: a failed one leaves the lock of all migrators taken.
        let mut conn = pool.acquire().await?.detach();
        let done = match work {
            Work::Migrations(migrator) => run_steps(&mut conn, migrator).await,
            Work::Definitions(sql) => define(&mut conn, sql).await,
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

async fn run_steps(conn: &mut PgConnection, migrator: &Migrator) -> Result<(), MigrateError> {
    drop_failed_indexes(conn).await?;
    for (target, lock_timeout) in steps(migrator) {
        conn.execute(AssertSqlSafe(format!("SET lock_timeout = '{lock_timeout}'"))).await?;
        migrator.run_direct(Some(target), conn, false).await?;
    }
    Ok(())
}

async fn define(conn: &mut PgConnection, sql: &str) -> Result<(), MigrateError> {
    conn.execute(AssertSqlSafe(format!("SET lock_timeout = '{LOCK}'"))).await?;
    conn.execute(AssertSqlSafe(sql.to_owned())).await?;
    Ok(())
}

/// Up to which version, with which patience: what runs outside a transaction is a step of its own.
fn steps(migrator: &Migrator) -> Vec<(i64, &'static str)> {
    let mut steps: Vec<(i64, &str)> = Vec::new();
    for migration in migrator.iter() {
        let patience = if migration.no_tx { BUILD } else { LOCK };
        match steps.last_mut() {
            Some((target, LOCK)) if !migration.no_tx => *target = migration.version,
            _ => steps.push((migration.version, patience)),
        }
    }
    steps
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
