//! Events from a real RabbitMQ.

use std::sync::Arc;
use std::time::Duration;

use chassis::bus::{Bus, Handler, TOPOLOGY};
use chassis::telemetry::TraceContext;
use lapin::Channel;
use lapin::options::{BasicGetOptions, ExchangeDeleteOptions, QueueDeleteOptions};
use mailer::events::consumed::QUEUE;
use proto::auth::v1::{PasswordChanged, SessionEnded};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::fixture::{World, event};

/// A broker with names of its own.
struct Broker {
    bus: Bus,
    prefix: String,
}

impl Broker {
    fn new() -> Self {
        let url = std::env::var("AMQP_URL").unwrap_or_else(|_| "amqp://guest:guest@127.0.0.1:5672".to_owned());
        let prefix = format!("test-{}.", Uuid::new_v4());
        Self { bus: Bus::with_prefix(&url, &prefix), prefix }
    }

    async fn channel(&self) -> Channel {
        self.bus.connect("test").await.unwrap().1
    }

    async fn remove(self) {
        let channel = self.channel().await;
        for (queue, _) in TOPOLOGY {
            for name in [format!("{}{queue}", self.prefix), format!("{}{queue}.dead", self.prefix)] {
                channel.queue_delete(name.into(), QueueDeleteOptions::default()).await.unwrap();
            }
        }
        for name in ["events", "events.dead"] {
            let name = format!("{}{name}", self.prefix);
            channel.exchange_delete(name.into(), ExchangeDeleteOptions::default()).await.unwrap();
        }
    }
}

/// Waits until a count is reached.
async fn until(world: &World, sql: &'static str, wanted: i64) {
    let reached = async {
        while world.count(sql).await != wanted {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reached).await.unwrap_or_else(|_| panic!("never {wanted}: {sql}"));
}

/// [K8] [Q4] [Q6] Events become mails, a repeated one does not become a second, an unreadable one is parked and stands
/// in the dead-letter queue, and events without a mail are acknowledged.
#[sqlx::test(migrations = false)]
async fn events_arrive_once_and_poison_is_parked(pool: PgPool) {
    let world = World::start(pool).await;
    let broker = Broker::new();
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
