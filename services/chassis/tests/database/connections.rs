//! Connections and transactions: how they begin, end, and are replaced, reused and tried again.

use std::time::{Duration, Instant};

use chassis::db::{self, Db, Usage};
use futures::future::join_all;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Executor, PgPool};

use crate::fixture::{Error, database, effects};

/// A pool at its limit of four connections, all idle.
const FULL: Usage = Usage { open: 4, idle: 4, most: 4 };

/// [K1] After a begin that was cancelled at any moment, the next statement on the connection does not land in an open
/// transaction that is then rolled back.
#[sqlx::test(migrations = false)]
async fn a_cancelled_begin_swallows_nothing(pool: PgPool) {
    let observer = database(&pool).await;
    let options = PgPoolOptions::new().max_connections(1);
    let db = Db::over(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    for round in 0..60_i32 {
        let moment = Duration::from_micros(u64::try_from(round).unwrap() * 15);
        let _ = tokio::time::timeout(moment, db.begin()).await;
        let mut conn = db.conn().await.unwrap();
        sqlx::query("INSERT INTO effects VALUES ($1)").bind(round).execute(&mut *conn).await.unwrap();
        drop(conn);
        let seen: i64 = sqlx::query_scalar("SELECT count(*) FROM effects")
            .fetch_one(&mut *observer.conn().await.unwrap())
            .await
            .unwrap();
        assert_eq!(seen, i64::from(round) + 1, "cancelled after {moment:?}");
    }
}

/// [D-V4] [D-H3] After the server has ended every session (57P01), a transaction begins at once on a new connection, and a
/// statement that meets an ended session is the only one: the other connections are not tried one by one.
#[sqlx::test(migrations = false)]
async fn ended_sessions_are_replaced(pool: PgPool) {
    database(&pool).await;
    let options = PgPoolOptions::new().max_connections(4).test_before_acquire(false);
    let db = Db::from_pool(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    let insert = || sqlx::query("INSERT INTO effects VALUES (1)");
    for _ in 0..5 {
        end_sessions(&pool, &db).await;
        let mut tx = db.begin().await.unwrap();
        insert().execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        end_sessions(&pool, &db).await;
        let refused = insert().execute(&mut *db.conn().await.unwrap()).await.unwrap_err();
        assert!(db::retry_after(&refused).is_some(), "{refused}");
        insert().execute(&mut *db.conn().await.unwrap()).await.unwrap();
    }
    assert_eq!(effects(&pool).await, 10);
}

/// At low load one connection serves all, so that its plans are there; under more load all of them do, each use in its turn.
#[sqlx::test(migrations = false)]
async fn the_last_connection_is_used_again(pool: PgPool) {
    let options = PgPoolOptions::new().max_connections(4).test_before_acquire(false);
    let db = Db::over(options.connect_with((*pool.connect_options()).clone()).await.unwrap());
    let session = async || -> i32 {
        let mut conn = db.conn().await.unwrap();
        sqlx::query_scalar("SELECT pg_backend_pid() FROM pg_sleep(0.002)").fetch_one(&mut *conn).await.unwrap()
    };
    let mut sessions = join_all((0..200).map(|_| session())).await;
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.len(), 4);
    assert_eq!(db.usage(), FULL);
    let last = session().await;
    for _ in 0..20 {
        assert_eq!(session().await, last);
    }
    // A call that was given up half way is over before its connection serves again.
    let call = async { db.conn().await.unwrap().execute("SELECT pg_sleep(0.2)").await.unwrap() };
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    let begun = Instant::now();
    assert_ne!(session().await, last);
    assert!(begun.elapsed() < Duration::from_millis(100), "waited for the call: {:?}", begun.elapsed());
}

/// Fills the pool with connections and ends the sessions of all.
async fn end_sessions(admin: &PgPool, db: &Db) {
    let sessions = join_all((0..4).map(async |_| {
        let mut conn = db.conn().await.unwrap();
        let session: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *conn).await.unwrap();
        (conn, session)
    }));
    let sessions: Vec<i32> = sessions.await.into_iter().map(|(_, session)| session).collect();
    let limit = Instant::now() + Duration::from_secs(5);
    while db.usage() != FULL {
        assert!(Instant::now() < limit, "{:?}", db.usage());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    sqlx::query("SELECT pg_terminate_backend(pid, 5000) FROM unnest($1) AS pid")
        .bind(sessions)
        .execute(admin)
        .await
        .unwrap();
}

/// [K1] Each connection gives up on statements, locks, forgotten transactions and clients that vanished.
#[sqlx::test(migrations = false)]
async fn connections_have_limits(pool: PgPool) {
    let options = pool.connect_options();
    let server = std::env::var("DATABASE_URL").unwrap();
    let (server, _) = server.rsplit_once('/').unwrap();
    let db = Db::connect_lazy(&format!("{server}/{}", options.get_database().unwrap()), 1).unwrap();
    for (name, value) in [
        ("statement_timeout", "5s"),
        ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("client_connection_check_interval", "1s"),
        ("tcp_keepalives_idle", "10"),
        ("tcp_user_timeout", "15000"),
    ] {
        let got: String = sqlx::query_scalar("SELECT current_setting($1)")
            .bind(name)
            .fetch_one(&mut *db.conn().await.unwrap())
            .await
            .unwrap();
        assert_eq!(got, value, "{name}");
    }
}

/// [K5] A transaction that lost a race is tried three times in all; other failures are not tried again.
#[sqlx::test(migrations = false)]
async fn lost_races_are_tried_three_times(pool: PgPool) {
    let db = database(&pool).await;
    for (code, tries) in [("40001", 3), ("40P01", 3), ("23505", 1)] {
        let mut tried = 0;
        let result: Result<(), Error> = db::retrying(|| {
            tried += 1;
            async {
                let sql =
                    sqlx::AssertSqlSafe(format!("DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '{code}'; END $$"));
                db.conn().await?.execute(sql).await?;
                Ok(())
            }
        })
        .await;
        assert!(result.is_err());
        assert_eq!(tried, tries, "{code}");
    }
}
