//! Events from a real RabbitMQ.

use std::sync::Arc;
use std::time::Duration;

use chassis::bus::Handler;
use chassis::telemetry::TraceContext;
use chassis::testing::Broker;
use futures::StreamExt;
use lapin::options::BasicGetOptions;
use mailer::events::consumed::QUEUE;
use mailer::events::published::{LiveNotices, publish};
use prost::Message;
use proto::auth::v1::{PasswordChanged, SessionEnded};
use proto::mailer::v1::NoticeAdded;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

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
    until(&world, "SELECT count(*) FROM dead_letters", 1).await;
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

/// [D-M7] Live views hear over the broker whose notices have changed; without one that listens nothing fails or waits.
#[tokio::test]
async fn live_views_hear_of_a_new_notice() {
    let broker = Broker::default();
    let (live, added) = LiveNotices::new();
    let shutdown = CancellationToken::new();
    let publishing = tokio::spawn(publish(broker.bus.clone(), added, shutdown.clone()));
    live.added(Uuid::new_v4().into());
    let mut events = broker.bus.tap("test", &["mailer.v1.notice_added"]).await.unwrap();
    let user_id = Uuid::new_v4();
    live.added(user_id.into());
    let heard = async {
        loop {
            let (key, payload) = events.next().await.unwrap().unwrap();
            assert_eq!(key, "mailer.v1.notice_added");
            // The first one may still have been on its way.
            if NoticeAdded::decode(payload.as_slice()).unwrap().user_id == user_id.to_string() {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), heard).await.unwrap();
    shutdown.cancel();
    publishing.await.unwrap();
    drop(events);
    broker.remove().await;
}
