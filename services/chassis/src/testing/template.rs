//! Databases for tests: each is a copy of a migrated one.

use sha2::{Digest, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, PgPool};

use crate::db::{self, Buckets, Db, Home, Schema};
use crate::hex::to_hex;

/// A migrated database in the place of the empty one of `#[sqlx::test(migrations = false)]`. It is the copy of a template,
/// which the first test with this schema makes: to apply the migrations again takes many times longer.
pub async fn database(pool: PgPool, service: impl Into<Schema>) -> Db {
    buckets(pool, service, Buckets::ONE).await.swap_remove(0)
}

/// The same, divided into buckets.
pub async fn buckets(pool: PgPool, service: impl Into<Schema>, buckets: Buckets) -> Vec<Db> {
    let service = service.into();
    let mut conn = pool.acquire().await.expect("the test's database answers").detach();
    let is_migrated: bool = sqlx::query_scalar("SELECT to_regclass('_chassis_migrations') IS NOT NULL")
        .fetch_one(&mut conn)
        .await
        .expect("the test's database answers");
    conn.close().await.expect("the connection closes");
    if !is_migrated {
        replace(&pool.connect_options(), service, buckets).await.expect("a migrated database is copied");
    }
    (0..buckets.count).map(|bucket| Db::from_pool_of(pool.clone(), Home { buckets, bucket })).collect()
}

async fn replace(options: &PgConnectOptions, service: Schema, buckets: Buckets) -> anyhow::Result<()> {
    let mut server = options.clone().database("postgres").connect().await?;
    let template = template(&mut server, options, service, buckets).await?;
    let database = options.get_database().expect("a test has a database of its own");
    run(&mut server, format!(r#"DROP DATABASE "{database}" WITH (FORCE)"#)).await?;
    run(&mut server, format!(r#"CREATE DATABASE "{database}" TEMPLATE {template}"#)).await?;
    Ok(server.close().await?)
}

/// The name of the schema's template. One that is complete is marked as such in the catalogue.
async fn template(
    server: &mut PgConnection,
    options: &PgConnectOptions,
    service: Schema,
    buckets: Buckets,
) -> anyhow::Result<String> {
    // A schema grants to the roles that exist.
    let roles: Vec<String> =
        sqlx::query_scalar("SELECT rolname::text FROM pg_roles ORDER BY rolname").fetch_all(&mut *server).await?;
    let name = format!("template_{}_{}", fingerprint(service, &roles), buckets.count);
    if is_complete(server, &name).await? {
        return Ok(name);
    }
    // Tests and their processes wait for the first. The lock ends with the connection.
    server.execute("SELECT pg_advisory_lock(hashtext('template'))").await?;
    if !is_complete(server, &name).await? {
        run(server, format!("DROP DATABASE IF EXISTS {name}")).await?;
        run(server, format!("CREATE DATABASE {name}")).await?;
        let pool = PgPool::connect_with(options.clone().database(&name)).await?;
        db::add_buckets(&pool, service, buckets).await?;
        if buckets != Buckets::ONE {
            db::open_buckets(&pool, buckets).await?;
        }
        pool.close().await;
        run(server, format!("ALTER DATABASE {name} IS_TEMPLATE true")).await?;
    }
    server.execute("SELECT pg_advisory_unlock(hashtext('template'))").await?;
    Ok(name)
}

async fn is_complete(server: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)")
        .bind(name)
        .fetch_one(server)
        .await
}

async fn run(server: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    server.execute(AssertSqlSafe(statement)).await.map(drop)
}

/// Differs between schemas, versions of one, and servers with other roles.
fn fingerprint(service: Schema, roles: &[String]) -> String {
    let mut hash = Sha256::new();
    hash.update(roles.join(" "));
    hash.update(db::SEARCH_PATH);
    for migration in db::chassis_migrations().iter().chain(service.migrations.iter()) {
        hash.update(&*migration.checksum);
    }
    for definition in service.definitions {
        hash.update(Sha256::digest(definition));
    }
    to_hex(&hash.finalize()[..16])
}
