//! Publishing, relaying and consuming on a real RabbitMQ, also while it goes away.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::anyhow;
use async_trait::async_trait;
use chassis::bus::{Bus, Effect, Event, HandleError, Handler};
use chassis::db::{self, Db};
use chassis::outbox::{self, relay};
use chassis::telemetry::TraceContext;
use chassis::testing::{self, Proxy};
use lapin::options::{BasicGetOptions, BasicNackOptions, BasicPublishOptions};
use lapin::{BasicProperties, Channel};
use proto::auth::v1::UserRegistered;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const QUEUE: &str = "wallet.events";
const KEY: &str = "auth.v1.user_registered";

// === the broker, with names of its own, behind a door that can be closed ===

struct Broker {
    direct: testing::Broker,
    /// Goes through the door.
    bus: Bus,
    door: Proxy,
}

impl Broker {
    async fn start() -> Self {
        let direct = testing::Broker::default();
        let (before, rest) = direct.url.split_once('@').unwrap();
        let (host, vhost) =
            rest.split_once('/').map_or((rest, String::new()), |(host, vhost)| (host, format!("/{vhost}")));
        let target = if host.contains(':') { host.to_owned() } else { format!("{host}:5672") };
        let door = Proxy::start(&target).await;
        let bus = Bus::with_prefix(&format!("{before}@{}{vhost}", door.address), &direct.prefix);
        Self { direct, bus, door }
    }

    async fn channel(&self) -> Channel {
        self.direct.channel().await
    }

    /// The next message of a queue.
    async fn take(&self, queue: &str) -> (String, Vec<u8>) {
        let channel = self.channel().await;
        let queue = format!("{}{queue}", self.direct.prefix);
        let taken = async {
            loop {
                if let Some(message) =
                    channel.basic_get(queue.as_str().into(), BasicGetOptions { no_ack: true }).await.unwrap()
                {
                    let id = message.delivery.properties.message_id().as_ref().map(ToString::to_string);
                    return (id.unwrap_or_default(), message.delivery.data.clone());
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        soon(taken).await
    }

    async fn is_empty(&self, queue: &str) -> bool {
        let queue = format!("{}{queue}", self.direct.prefix);
        self.channel().await.basic_get(queue.into(), BasicGetOptions::default()).await.unwrap().is_none()
    }
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("it happens soon")
}

/// Waits for a condition.
async fn until(mut condition: impl AsyncFnMut() -> bool) {
    soon(async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

// === a handler that does as it is set ===

#[derive(Clone, Copy)]
enum Step {
    Fail,
    Poison,
    Panic,
    /// Never ends, after saying that it began.
    Hang,
}

#[derive(Default)]
struct Script {
    steps: Mutex<VecDeque<Step>>,
    calls: Mutex<Vec<Uuid>>,
    done: Mutex<Vec<Uuid>>,
    dead: Mutex<Vec<(String, String)>>,
    hanging: Notify,
}

impl Script {
    fn of(steps: impl IntoIterator<Item = Step>) -> Arc<Self> {
        Arc::new(Self { steps: Mutex::new(steps.into_iter().collect()), ..Self::default() })
    }

    fn done(&self) -> Vec<Uuid> {
        self.done.lock().unwrap().clone()
    }

    fn calls(&self) -> usize {
        self.calls.lock().unwrap().len()
    }

    fn dead_letters(&self) -> Vec<(String, String)> {
        self.dead.lock().unwrap().clone()
    }
}

#[async_trait]
impl Handler for Script {
    async fn handle(&self, event: &Event) -> Result<(), HandleError> {
        self.calls.lock().unwrap().push(event.id);
        let step = self.steps.lock().unwrap().pop_front();
        match step {
            None => {
                self.done.lock().unwrap().push(event.id);
                Ok(())
            }
            Some(Step::Fail) => Err(HandleError::Transient(anyhow!("away"))),
            Some(Step::Poison) => Err(HandleError::Poison(anyhow!("unreadable"))),
            Some(Step::Panic) => panic!("told to"),
            Some(Step::Hang) => {
                self.hanging.notify_one();
                std::future::pending().await
            }
        }
    }

    async fn prepare(&self, _: &Event) -> Result<Box<dyn Effect>, HandleError> {
        Err(HandleError::Poison(anyhow!("a script changes nothing")))
    }

    async fn keep_dead_letter(&self, id: &str, _: &str, _: &[u8], cause: &str) -> Result<(), sqlx::Error> {
        self.dead.lock().unwrap().push((id.to_owned(), cause.to_owned()));
        Ok(())
    }
}

struct Consuming {
    shutdown: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Consuming {
    fn start(bus: &Bus, handler: &Arc<Script>) -> Self {
        let (bus, handler, shutdown) = (bus.clone(), Arc::clone(handler), CancellationToken::new());
        let stop = shutdown.clone();
        Self { task: tokio::spawn(async move { bus.consume(QUEUE, handler, stop).await }), shutdown }
    }

    async fn stop(self) {
        self.shutdown.cancel();
        soon(self.task).await.unwrap();
    }
}

fn event(key: &str) -> Event {
    let payload = prost::Message::encode_to_vec(&UserRegistered { user_id: Uuid::new_v4().to_string() });
    Event {
        id: Uuid::now_v7(),
        key: key.to_owned(),
        aggregate_id: Uuid::new_v4(),
        payload,
        at: OffsetDateTime::now_utc(),
    }
}

async fn publish(broker: &Broker, events: &[&Event]) {
    let publisher = broker.direct.bus.publisher("test").await.unwrap();
    for event in events {
        publisher.publish(event, &TraceContext::default()).await.unwrap();
    }
}

// === publishing ===

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

// === consuming ===

/// [A14] [Q5] An event that fails for a while holds up the later ones of its aggregate, and no others, although all were
/// delivered at once.
#[tokio::test]
async fn events_of_an_aggregate_take_effect_in_order() {
    let broker = Broker::start().await;
    let script = Script::of([Step::Fail]);
    let first = event(KEY);
    let second = Event { aggregate_id: first.aggregate_id, ..event(KEY) };
    let other = event(KEY);
    publish(&broker, &[&first, &second, &other]).await;
    let consuming = Consuming::start(&broker.bus, &script);
    until(async || script.done().len() == 3).await;
    consuming.stop().await;
    assert_eq!(script.done(), [other.id, first.id, second.id]);
    broker.direct.remove().await;
}

/// [A15] A message that was delivered again and again without an outcome is stored as a dead letter, where staff see it, before the broker
/// drops it among the dead letters by its own limit.
#[tokio::test]
async fn a_message_without_an_outcome_is_a_dead_letter() {
    let broker = Broker::start().await;
    let (script, hopeless) = (Script::of([]), event(KEY));
    publish(&broker, &[&hopeless]).await;
    let (channel, queue) = (broker.channel().await, format!("{}{QUEUE}", broker.direct.prefix));
    for _ in 0..50 {
        until(async || {
            let got = channel.basic_get(queue.as_str().into(), BasicGetOptions::default()).await.unwrap();
            let Some(message) = got else { return false };
            message.delivery.nack(BasicNackOptions { requeue: true, ..Default::default() }).await.unwrap();
            true
        })
        .await;
    }
    let consuming = Consuming::start(&broker.bus, &script);
    until(async || script.dead_letters().len() == 1).await;
    consuming.stop().await;
    let (id, cause) = script.dead_letters().remove(0);
    assert_eq!((id, script.calls()), (hopeless.id.to_string(), 0));
    assert!(cause.contains("50 times"), "{cause}");
    assert_eq!(broker.take("wallet.events.dead").await.0, hopeless.id.to_string());
    broker.direct.remove().await;
}

/// [K8] A failure that may pass is tried again in place; the message is acknowledged after it passed.
#[tokio::test]
async fn a_passing_failure_is_tried_again() {
    let broker = Broker::start().await;
    let (script, wanted) = (Script::of([Step::Fail, Step::Fail]), event(KEY));
    publish(&broker, &[&wanted]).await;
    let consuming = Consuming::start(&broker.bus, &script);
    until(async || script.done() == [wanted.id]).await;
    consuming.stop().await;
    assert_eq!((script.calls(), script.dead_letters().len()), (3, 0));
    assert!(broker.is_empty(QUEUE).await && broker.is_empty("wallet.events.dead").await);
    broker.direct.remove().await;
}

/// [K8] [Q6] What can never take effect, makes the handler panic, or has no id is stored and stands in the dead-letter
/// queue; what comes after it is handled.
#[tokio::test]
async fn poison_is_stored_and_dead_lettered() {
    let broker = Broker::start().await;
    let script = Script::of([Step::Poison]);
    let (poison, panics, good) = (event(KEY), event(KEY), event(KEY));
    publish(&broker, &[&poison]).await;
    let consuming = Consuming::start(&broker.bus, &script);
    until(async || script.dead_letters().len() == 1).await;
    script.steps.lock().unwrap().push_back(Step::Panic);
    publish(&broker, &[&panics]).await;
    until(async || script.dead_letters().len() == 2).await;
    let exchange = format!("{}events", broker.direct.prefix);
    let nameless = BasicProperties::default();
    let options = BasicPublishOptions::default();
    broker.channel().await.basic_publish(exchange.into(), KEY.into(), options, b"?", nameless).await.unwrap();
    until(async || script.dead_letters().len() == 3).await;
    publish(&broker, &[&good]).await;
    until(async || script.done() == [good.id]).await;
    consuming.stop().await;
    let ids: Vec<_> = script.dead_letters().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [poison.id.to_string(), panics.id.to_string(), String::new()]);
    for payload in [poison.payload, panics.payload, b"?".to_vec()] {
        assert_eq!(broker.take("wallet.events.dead").await.1, payload);
    }
    assert!(broker.is_empty("wallet.events.dead").await && broker.is_empty(QUEUE).await);
    broker.direct.remove().await;
}

/// [K8] [Q1] An event that was not acknowledged when the connection broke is delivered again.
#[tokio::test]
async fn a_broken_connection_brings_the_event_again() {
    let broker = Broker::start().await;
    let (script, wanted) = (Script::of([Step::Hang]), event(KEY));
    publish(&broker, &[&wanted]).await;
    let consuming = Consuming::start(&broker.bus, &script);
    soon(script.hanging.notified()).await;
    broker.door.cut();
    until(async || !broker.bus.is_up()).await;
    broker.door.restore();
    until(async || script.done() == [wanted.id]).await;
    assert_eq!(script.calls(), 2);
    consuming.stop().await;
    broker.direct.remove().await;
}
