//! Events from a real RabbitMQ.

use std::sync::Arc;
use std::time::Duration;

use chassis::bus::Handler;
use chassis::telemetry::TraceContext;
use chassis::testing::Broker;
use lapin::options::BasicGetOptions;
use mailer::events::consumed::QUEUE;
use proto::auth::v1::{PasswordChanged, SessionEnded};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::fixture::{World, event};

/// Waits until a count is reached.
async fn until(world: &World, sql: &'static str, wanted: i64) {
    let reached = async {
        while world.count(sql).await != wanted {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reached).await.unwrap_or_else(|_| panic!("never {wanted}: {sql}"));
}

/// [K8] [Q4] [Q6] Events become mails, a repeated one does not become a second, an unreadable one is stored and stands
/// in the dead-letter queue, and events without a mail are acknowledged.
#[sqlx::test(migrations = false)]
async fn events_arrive_once_and_poison_is_stored(pool: PgPool) {
    let world = World::start(pool).await;
    let broker = Broker::default();
    let publisher = broker.bus.publisher("test").await.unwrap();
    let changed = event(
        "auth.v1.password_changed",
        &PasswordChanged { user_id: world.user_id.to_string(), ..Default::default() },
    );
    let poison =
        event("auth.v1.password_changed", &PasswordChanged { user_id: "nobody".to_owned(), ..Default::default() });
    let silent = event("auth.v1.session_ended", &SessionEnded::default());
    for event in [&changed, &poison, &changed, &silent, &changed] {
        publisher.publish(event, &TraceContext::default()).await.unwrap();
    }
    let shutdown = CancellationToken::new();
    let (bus, stop) = (broker.bus.clone(), shutdown.clone());
    let handler: Arc<dyn Handler> = world.consumer.clone();
    let consuming = tokio::spawn(async move { bus.consume(QUEUE, handler, stop).await });
    until(&world, "SELECT count(*) FROM inbox", 2).await;
    until(&world, "SELECT count(*) FROM parked_events", 1).await;
    shutdown.cancel();
    consuming.await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM mails").await, 1);
    let channel = broker.channel().await;
    let dead = format!("{}{QUEUE}.dead", broker.prefix);
    let got = async {
        loop {
            let options = BasicGetOptions { no_ack: true };
            if let Some(message) = channel.basic_get(dead.as_str().into(), options).await.unwrap() {
                return message;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let message = tokio::time::timeout(Duration::from_secs(10), got).await.unwrap();
    assert_eq!(message.delivery.data, poison.payload);
    assert!(channel.basic_get(dead.as_str().into(), BasicGetOptions::default()).await.unwrap().is_none());
    broker.remove().await;
}
