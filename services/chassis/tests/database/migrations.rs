//! Migrations beside a running service.

use std::time::{Duration, Instant};

use chassis::db::{self, Schema};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Executor, PgPool};
use uuid::Uuid;

use crate::fixture::database;

/// A migrator of these files.
pub async fn migrator(files: &[(&str, &str)]) -> &'static Migrator {
    let folder = std::env::temp_dir().join(format!("migrations-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder).unwrap();
    for (name, sql) in files {
        std::fs::write(folder.join(name), sql).unwrap();
    }
    let migrator = Migrator::new(folder.as_path()).await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    Box::leak(Box::new(migrator))
}

/// [A13] A migration that has to wait for a long read holds up nobody for more than a second, and is done after it.
#[sqlx::test(migrations = false)]
async fn a_migration_that_waits_lets_others_pass(pool: PgPool) {
    let db = database(&pool).await;
    let reader = PgPoolOptions::new().max_connections(1).connect_with((*pool.connect_options()).clone()).await.unwrap();
    let mut read = reader.acquire().await.unwrap();
    read.execute("BEGIN; SELECT count(*) FROM effects").await.unwrap();
    let migrator = migrator(&[("1_note.sql", "ALTER TABLE effects ADD COLUMN note text")]).await;
    let migrating = tokio::spawn(async move { db::migrate(&pool, migrator).await });
    let mut slowest = Duration::ZERO;
    for number in 0..40 {
        let begun = Instant::now();
        let effect = sqlx::query("INSERT INTO effects (number) VALUES ($1)").bind(number);
        effect.execute(&mut *db.conn().await.unwrap()).await.unwrap();
        slowest = slowest.max(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(slowest < Duration::from_millis(1_900), "a write waited for {slowest:?}");
    assert!(!migrating.is_finished());
    read.execute("COMMIT").await.unwrap();
    migrating.await.unwrap().unwrap();
    sqlx::query("INSERT INTO effects VALUES (1, 'new')").execute(&mut *db.conn().await.unwrap()).await.unwrap();
}

/// [A13] An index is built beside writers, and one whose build failed half way is built again.
#[sqlx::test(migrations = false)]
async fn an_index_is_built_concurrently(pool: PgPool) {
    let db = database(&pool).await;
    // In one query, two statements would be a transaction, in which no index is built concurrently.
    let build =
        "-- no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY effects_number ON effects (number); ANALYZE effects;";
    let migrator =
        migrator(&[("1_note.sql", "ALTER TABLE effects ADD COLUMN note text"), ("2_index.sql", build)]).await;
    pool.execute("INSERT INTO effects VALUES (7), (7)").await.unwrap();
    assert!(db::migrate(&pool, migrator).await.is_err(), "two rows are equal");
    pool.execute("DELETE FROM effects").await.unwrap();
    db::migrate(&pool, migrator).await.unwrap();
    let valid: bool =
        sqlx::query_scalar("SELECT indisvalid FROM pg_index WHERE indexrelid = 'effects_number'::regclass")
            .fetch_one(&mut *db.conn().await.unwrap())
            .await
            .unwrap();
    assert!(valid);
}

/// [D-H9] The version before finds the newer schema after a rollback: it leaves the schema with its definitions as it is, and
/// starts. A schema that is another, or lacks something, is refused.
#[sqlx::test(migrations = false)]
async fn the_version_before_starts_on_a_newer_schema(pool: PgPool) {
    const OLDER: &str = "CREATE OR REPLACE FUNCTION rule() RETURNS integer LANGUAGE sql RETURN 1";
    const NEWER: &str = "CREATE OR REPLACE FUNCTION rule() RETURNS integer LANGUAGE sql RETURN 2";
    database(&pool).await;
    let note = ("1_note.sql", "ALTER TABLE effects ADD COLUMN note text");
    let kind = ("2_kind.sql", "ALTER TABLE effects ADD COLUMN kind text");
    let older = Schema { migrations: migrator(&[note]).await, definitions: &[OLDER], bucketed: None };
    let newer = Schema { migrations: migrator(&[note, kind]).await, definitions: &[NEWER], bucketed: None };
    for (schema, is_brought_there) in [(older, true), (newer, true), (older, false), (newer, true)] {
        assert_eq!(db::migrate(&pool, schema).await.unwrap(), is_brought_there);
    }
    db::migrate(&pool, older).await.unwrap();
    let rule: i32 = sqlx::query_scalar("SELECT rule()").fetch_one(&pool).await.unwrap();
    assert_eq!(rule, 2, "the definitions of the schema's own version");
    for other in [("1_note.sql", "ALTER TABLE effects ADD COLUMN remark text"), ("3_more.sql", "SELECT 1")] {
        assert!(db::migrate(&pool, migrator(&[other]).await).await.is_err(), "{other:?}");
    }
}
