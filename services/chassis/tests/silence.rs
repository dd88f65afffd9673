//! What a database that falls silent costs: PostgreSQL stopped, its node without power, or the network cut.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use chassis::db::{Db, LIMIT, Usage};
use chassis::error::{Fault, Kind};
use chassis::testing::Proxy;
use futures::future::join_all;
use sqlx::{Executor, PgPool};

/// What a call may take beyond its limit on a busy machine.
const SLACK: Duration = Duration::from_secs(2);

struct World {
    proxy: Proxy,
    db: Db,
}

impl World {
    async fn new(pool: &PgPool, connections: u32) -> Self {
        let url = std::env::var("DATABASE_URL").unwrap();
        let (credentials, server) = url.split_once('@').unwrap();
        let (server, _) = server.split_once('/').unwrap();
        let proxy = Proxy::start(server).await;
        let options = pool.connect_options();
        let database = options.get_database().unwrap();
        let db = Db::connect_lazy(&format!("{credentials}@{}/{database}", proxy.address), connections).unwrap();
        pool.execute("CREATE TABLE effects (number integer NOT NULL)").await.unwrap();
        Self { proxy, db }
    }

    async fn backend(&self) -> i32 {
        backend(&self.db).await.unwrap()
    }
}

async fn backend(db: &Db) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *db.conn().await?).await
}

/// The kind of a failure that came no later than its limit allows.
async fn refused<T>(call: impl Future<Output = Result<T, sqlx::Error>>) -> Kind {
    let begun = Instant::now();
    let error = call.await.err().expect("a silent database refuses");
    assert!(begun.elapsed() < LIMIT + SLACK, "{:?}", begun.elapsed());
    error.kind()
}

/// [A1] A statement, a begin and a commit end at their limit when the database falls silent, and say that it is away.
#[sqlx::test(migrations = false)]
async fn every_call_ends_at_its_limit(pool: PgPool) {
    let world = World::new(&pool, 4).await;
    let mut conn = world.db.conn().await.unwrap();
    let mut many = world.db.conn().await.unwrap();
    let mut tx = world.db.begin().await.unwrap();
    sqlx::query("INSERT INTO effects VALUES (1)").execute(&mut *tx).await.unwrap();
    world.backend().await;
    world.proxy.freeze();
    let kinds = tokio::join!(
        refused(conn.execute("SELECT 1")),
        refused(sqlx::query("SELECT 1").fetch_all(&mut *many)),
        refused(tx.commit()),
        refused(world.db.begin()),
    );
    assert_eq!(kinds, (Kind::Unavailable, Kind::Unavailable, Kind::Unavailable, Kind::Unavailable));
    let begun = Instant::now();
    refused(conn.execute("SELECT 1")).await;
    assert!(begun.elapsed() < Duration::from_millis(100), "a lost connection is not asked again");
}

/// [A1] A connection on which a call was given up is not used again, and takes its place in the pool with it: as soon as
/// the database answers, so do all calls.
#[sqlx::test(migrations = false)]
async fn a_lost_connection_is_never_used_again(pool: PgPool) {
    let world = World::new(&pool, 2).await;
    let before = world.backend().await;
    world.proxy.freeze();
    let kinds = join_all((0..4).map(|_| refused(backend(&world.db)))).await;
    assert_eq!(kinds, [Kind::Unavailable; 4]);
    world.proxy.restore();
    let begun = Instant::now();
    let after = join_all((0..4).map(|_| world.backend())).await;
    assert!(!after.contains(&before), "the connection of before is gone");
    assert!(begun.elapsed() < LIMIT, "recovered after {:?}", begun.elapsed());
}

/// [A1] When the node behind all connections is lost and another answers, one call finds out for all: those after it do
/// not wait for the other connections of the pool one by one.
#[sqlx::test(migrations = false)]
async fn a_lost_node_costs_one_limit(pool: PgPool) {
    let world = World::new(&pool, 8).await;
    let held = join_all((0..8).map(|_| world.db.conn())).await;
    drop(held);
    let full = Usage { open: 8, idle: 8, most: 8 };
    while world.db.usage() != full {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut one = world.db.conn().await.unwrap();
    world.proxy.abandon();
    refused(sqlx::query("SELECT 1").execute(&mut *one)).await;
    let begun = Instant::now();
    let answers = join_all((0..16).map(|_| backend(&world.db))).await;
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
    assert!(begun.elapsed() < LIMIT, "recovered after {:?}", begun.elapsed());
}

/// [A1] Connections that idled are looked at before their use, and the look is short.
#[sqlx::test(migrations = false)]
async fn an_idle_connection_of_a_lost_node_is_replaced(pool: PgPool) {
    let world = World::new(&pool, 2).await;
    let before = world.backend().await;
    world.proxy.abandon();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let begun = Instant::now();
    assert_ne!(world.backend().await, before);
    assert!(begun.elapsed() < LIMIT, "replaced after {:?}", begun.elapsed());
}

/// [A1] A caller that went away in the middle of a call does not leave its place in the pool taken.
#[sqlx::test(migrations = false)]
async fn a_cancelled_call_frees_its_place(pool: PgPool) {
    let world = World::new(&pool, 1).await;
    world.backend().await;
    let mut tx = world.db.begin().await.unwrap();
    world.proxy.abandon();
    let cancelled = tokio::time::timeout(Duration::from_millis(100), tx.execute("SELECT 1")).await;
    assert!(cancelled.is_err());
    drop(tx);
    let begun = Instant::now();
    world.backend().await;
    assert!(begun.elapsed() < LIMIT, "freed after {:?}", begun.elapsed());
}

/// A transaction that is dropped is undone, and its connection serves again.
#[sqlx::test(migrations = false)]
async fn a_dropped_transaction_is_undone(pool: PgPool) {
    let world = World::new(&pool, 1).await;
    let before = world.backend().await;
    let mut tx = world.db.begin().await.unwrap();
    sqlx::query("INSERT INTO effects VALUES (1)").execute(&mut *tx).await.unwrap();
    drop(tx);
    assert_eq!(world.backend().await, before);
    let mut tx = world.db.begin().await.unwrap();
    assert!(tx.execute("INSERT INTO effects VALUES (NULL)").await.is_err());
    drop(tx);
    assert_eq!(world.backend().await, before);
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM effects").fetch_one(&pool).await.unwrap();
    assert_eq!(rows, 0);
}
