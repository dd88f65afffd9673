//! Publishing, relaying and consuming on a real RabbitMQ, also while it goes away.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod consuming;
mod fixture;

use std::time::Duration;

use chassis::bus::Bus;
use chassis::db::{self, Db};
use chassis::outbox::{self, relay};
use chassis::telemetry::TraceContext;
use proto::auth::v1::UserRegistered;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::fixture::{Broker, KEY, QUEUE, event, soon, until};

/// [K7] A published event is in its queue when the call returns; one that no queue wants is a failure, although the
/// broker confirms it.
#[tokio::test]
async fn a_publish_ends_in_a_queue_or_fails() {
    let broker = Broker::start().await;
    let publisher = broker.bus.publisher("test").await.unwrap();
    let wanted = event(KEY);
    publisher.publish(&wanted, &TraceContext::default()).await.unwrap();
    assert_eq!(broker.take(QUEUE).await, (wanted.id.to_string(), wanted.payload.clone()));
    let unwanted = publisher.publish(&event("nobody.v1.cares"), &TraceContext::default()).await;
    assert!(unwanted.unwrap_err().to_string().contains("no queue takes"));
    broker.door.cut();
    assert!(soon(publisher.publish(&event(KEY), &TraceContext::default())).await.is_err());
    until(async || !publisher.is_up()).await;
    broker.direct.remove().await;
}

async fn database(pool: PgPool) -> Db {
    db::migrate(&pool, &Migrator::DEFAULT).await.unwrap();
    Db::from_pool(pool)
}

/// Writes an event in a transaction of its own; returns its id.
async fn enqueue(db: &Db, key: &str) -> Uuid {
    let mut tx = db.begin().await.unwrap();
    let message = UserRegistered { user_id: Uuid::new_v4().to_string() };
    outbox::enqueue(&mut tx, key, Uuid::new_v4(), &message).await.unwrap();
    let id =
        sqlx::query_scalar("SELECT event_id FROM outbox ORDER BY id DESC LIMIT 1").fetch_one(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn waiting(db: &Db) -> i64 {
    let sql = "SELECT count(*) FROM outbox WHERE published_at IS NULL";
    sqlx::query_scalar(sql).fetch_one(&mut *db.conn().await.unwrap()).await.unwrap()
}

/// [K7] [Q3] [Q5] Events written while the broker is away follow when it is back, in the order of their rows.
#[sqlx::test(migrations = false)]
async fn the_relay_catches_up_in_order(pool: PgPool) {
    let (broker, db) = (Broker::start().await, database(pool).await);
    broker.door.cut();
    let shutdown = CancellationToken::new();
    let relaying = tokio::spawn(relay::run(db.clone(), broker.bus.clone(), "test", shutdown.clone()));
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(enqueue(&db, KEY).await.to_string());
    }
    assert_eq!(waiting(&db).await, 20);
    assert!(broker.is_empty(QUEUE).await);
    broker.door.restore();
    until(async || waiting(&db).await == 0).await;
    // It is cut again in between.
    broker.door.cut();
    ids.push(enqueue(&db, KEY).await.to_string());
    broker.door.restore();
    until(async || waiting(&db).await == 0).await;
    shutdown.cancel();
    soon(relaying).await.unwrap();
    let mut got = Vec::new();
    while got.len() < ids.len() {
        let (id, _) = broker.take(QUEUE).await;
        // A confirmation that was lost brings the same event again.
        if got.last() != Some(&id) {
            got.push(id);
        }
    }
    assert_eq!(got, ids);
    broker.direct.remove().await;
}

/// [K7] While the broker is away it is asked now and then, however many commits there are.
#[sqlx::test(migrations = false)]
async fn a_broker_that_is_away_is_left_alone(pool: PgPool) {
    let db = database(pool).await;
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let bus = Bus::new(&format!("amqp://guest:guest@{}", door.local_addr().unwrap()));
    let relaying = tokio::spawn(relay::run(db.clone(), bus, "test", CancellationToken::new()));
    let (mut asked, end) = (0, tokio::time::Instant::now() + Duration::from_millis(1_500));
    while let Ok(knock) = tokio::time::timeout_at(end, door.accept()).await {
        drop(knock.unwrap());
        asked += 1;
        for _ in 0..3 {
            db.note_commit();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    relaying.abort();
    assert!((1..=3).contains(&asked), "{asked} times in 1.5 s");
}

/// [K7] [Q2] An event whose transaction commits late, under a lower number, is not passed over.
#[sqlx::test(migrations = false)]
async fn a_late_commit_is_not_lost(pool: PgPool) {
    let (broker, db) = (Broker::start().await, database(pool).await);
    let publisher = broker.bus.publisher("test").await.unwrap();
    let mut late = db.begin().await.unwrap();
    outbox::enqueue(&mut late, KEY, Uuid::new_v4(), &UserRegistered::default()).await.unwrap();
    enqueue(&db, KEY).await;
    assert_eq!(relay::relay_batch(&db, &publisher).await.unwrap(), 1);
    late.commit().await.unwrap();
    assert_eq!(relay::relay_batch(&db, &publisher).await.unwrap(), 1);
    assert_eq!(waiting(&db).await, 0);
    broker.direct.remove().await;
}

/// [K7] An event that the broker does not take stays in the outbox, and does not hold up the others of its batch.
#[sqlx::test(migrations = false)]
async fn an_unroutable_event_stays(pool: PgPool) {
    let (broker, db) = (Broker::start().await, database(pool).await);
    let publisher = broker.bus.publisher("test").await.unwrap();
    enqueue(&db, "nobody.v1.cares").await;
    enqueue(&db, KEY).await;
    assert!(relay::relay_batch(&db, &publisher).await.is_err());
    assert_eq!(waiting(&db).await, 1);
    broker.take(QUEUE).await;
    broker.direct.remove().await;
}

/// [A14] [Q5] When the broker rejects an event, the later events of its aggregate wait behind it; those of other
/// aggregates do not.
#[sqlx::test(migrations = false)]
async fn an_event_does_not_overtake_a_failed_one_of_its_aggregate(pool: PgPool) {
    let (broker, db) = (Broker::start().await, database(pool).await);
    let publisher = broker.bus.publisher("test").await.unwrap();
    let (held_up, other) = (Uuid::new_v4(), Uuid::new_v4());
    let mut tx = db.begin().await.unwrap();
    for (key, aggregate) in [(KEY, held_up), ("nobody.v1.cares", held_up), (KEY, held_up), (KEY, other)] {
        outbox::enqueue(&mut tx, key, aggregate, &UserRegistered::default()).await.unwrap();
    }
    tx.commit().await.unwrap();
    for _ in 0..2 {
        assert!(relay::relay_batch(&db, &publisher).await.is_err());
        let waiting: Vec<i64> = sqlx::query_scalar("SELECT id FROM outbox WHERE published_at IS NULL ORDER BY id")
            .fetch_all(&mut *db.conn().await.unwrap())
            .await
            .unwrap();
        assert_eq!(waiting, [2, 3]);
    }
    broker.take(QUEUE).await;
    broker.take(QUEUE).await;
    assert!(broker.is_empty(QUEUE).await);
    broker.direct.remove().await;
}
