//! The schema of a service: its migrations, and the same in every bucket.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgPool, PgPoolOptions};

use super::buckets::{self, BucketSize, Buckets};
use super::migrations::{self, What, Work};

/// A service's schema: what its migrations make, and the definitions in force of what may be replaced.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// Forward only, each applied once.
    pub migrations: &'static Migrator,
    /// SQL applied after the migrations each time, in this order: functions, with `CREATE OR REPLACE` and their rights.
    pub definitions: &'static [&'static str],
    /// How it is divided into buckets, if it can be.
    pub bucketed: Option<Bucketed>,
}

/// How a schema is divided.
#[derive(Debug, Clone, Copy)]
pub struct Bucketed {
    /// As in [`Buckets`].
    pub name: &'static str,
    /// The tables that the first bucket has alone.
    pub shared: &'static [&'static str],
}

impl From<&'static Migrator> for Schema {
    fn from(migrations: &'static Migrator) -> Self {
        Self { migrations, definitions: &[], bucketed: None }
    }
}

/// Brings a database to the newest schema: the chassis's tables, then the service's own, then its definitions; and the same in
/// every bucket that there is. Each lock is waited for at most a second at a time, so that the services go on meanwhile.
///
/// The schema of a newer version, as after a rollback, is left as it is, with its definitions: this version runs on it. Then
/// the answer is false.
///
/// The schema `<name>_all` shows the tables of all buckets as one, to who may read it.
///
/// # Errors
/// If the database cannot be reached, a migration fails, or a bucket lacks a table.
pub async fn migrate(pool: &PgPool, service: impl Into<Schema>) -> anyhow::Result<bool> {
    let service = service.into();
    if !migrate_schema(pool, service, &[]).await? {
        return Ok(false);
    }
    let Some(Bucketed { name, shared }) = service.bucketed else { return Ok(true) };
    let schemas = Buckets::existing(name, pool).await?;
    for schema in &schemas {
        let options = (*pool.connect_options()).clone().options([("search_path", format!("{schema}, public"))]);
        let bucket = PgPoolOptions::new().max_connections(1).connect_with(options).await?;
        migrate_schema(&bucket, service, shared).await?;
        let differing = buckets::differing_tables(&bucket, shared).await?;
        anyhow::ensure!(differing.is_empty(), "{schema} is not as the first bucket: {}", differing.join(", "));
        bucket.close().await;
    }
    if !schemas.is_empty() {
        buckets::show_all(pool, name, shared).await?;
    }
    Ok(true)
}

async fn migrate_schema(pool: &PgPool, service: Schema, without: &[&str]) -> anyhow::Result<bool> {
    let chassis = chassis_migrations();
    if migrations::is_newer(pool, &chassis).await? || migrations::is_newer(pool, service.migrations).await? {
        return Ok(false);
    }
    for migrator in [&chassis, service.migrations] {
        migrations::run(pool, Work { what: What::Migrations(migrator), without }).await?;
    }
    if !service.definitions.is_empty() {
        migrations::run(pool, Work { what: What::Definitions(service.definitions), without }).await?;
    }
    Ok(true)
}

/// The tables that every service's database carries: outbox, inbox, idempotency keys, proposals, audit rows.
pub(crate) fn chassis_migrations() -> Migrator {
    let mut migrations = sqlx::migrate!("./migrations");
    migrations.dangerous_set_table_name("_chassis_migrations");
    migrations
}

/// [`migrate`] by url, for the `migrate` command of a service.
///
/// # Errors
/// The same as those of [`migrate`].
pub async fn migrate_url(url: &str, service: impl Into<Schema>) -> anyhow::Result<bool> {
    migrate(&administer(url).await?, service).await
}

/// Makes the schemas of these buckets that are missing, and migrates all. They take no members yet.
///
/// # Errors
/// The same as those of [`migrate`], or if the schema is that of a newer version.
pub async fn add_buckets(pool: &PgPool, service: Schema, buckets: Buckets) -> anyhow::Result<()> {
    let migrated = migrate(pool, service).await?;
    let missing = buckets.missing(pool).await?;
    if missing.is_empty() {
        return Ok(());
    }
    anyhow::ensure!(migrated, "the schema is that of a newer version, which has to make them");
    for schema in missing {
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE SCHEMA {schema}"))).execute(pool).await?;
    }
    migrate(pool, service).await.map(drop)
}

/// Lets these buckets take new members, which is for good. Every process of the service has to read them by then: one that
/// does not is refused by the database from then on.
///
/// # Errors
/// If one of them is missing, or the database cannot be reached.
pub async fn open_buckets(pool: &PgPool, buckets: Buckets) -> anyhow::Result<()> {
    let missing = buckets.missing(pool).await?;
    anyhow::ensure!(missing.is_empty(), "there is no schema {}", missing.join(", "));
    Ok(buckets::open(pool, buckets.count).await?)
}

/// A connection for what an operator does.
///
/// # Errors
/// If the database cannot be reached.
pub async fn administer(url: &str) -> Result<PgPool, sqlx::Error> {
    PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_secs(30)).connect(url).await
}

/// The buckets that there are, by number.
///
/// # Errors
/// Of the database.
pub async fn buckets_of(pool: &PgPool, name: &str) -> Result<Vec<BucketSize>, sqlx::Error> {
    buckets::sizes(pool, name).await
}
