//! The broker, with names of its own, behind a door that can be closed.

use std::time::Duration;

use chassis::bus::{Bus, Event};
use chassis::testing::{self, Proxy};
use lapin::Channel;
use lapin::options::BasicGetOptions;
use proto::auth::v1::UserRegistered;
use time::OffsetDateTime;
use uuid::Uuid;

pub const QUEUE: &str = "wallet.events";
pub const KEY: &str = "auth.v1.user_registered";

pub struct Broker {
    pub direct: testing::Broker,
    /// Goes through the door.
    pub bus: Bus,
    pub door: Proxy,
}

impl Broker {
    pub async fn start() -> Self {
        let direct = testing::Broker::default();
        let (before, rest) = direct.url.split_once('@').unwrap();
        let (host, vhost) =
            rest.split_once('/').map_or((rest, String::new()), |(host, vhost)| (host, format!("/{vhost}")));
        let target = if host.contains(':') { host.to_owned() } else { format!("{host}:5672") };
        let door = Proxy::start(&target).await;
        let bus = Bus::with_prefix(&format!("{before}@{}{vhost}", door.address), &direct.prefix);
        Self { direct, bus, door }
    }

    pub async fn channel(&self) -> Channel {
        self.direct.channel().await
    }

    /// The next message of a queue.
    pub async fn take(&self, queue: &str) -> (String, Vec<u8>) {
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

    pub async fn is_empty(&self, queue: &str) -> bool {
        let queue = format!("{}{queue}", self.direct.prefix);
        self.channel().await.basic_get(queue.into(), BasicGetOptions::default()).await.unwrap().is_none()
    }
}

pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("it happens soon")
}

/// Waits for a condition.
pub async fn until(mut condition: impl AsyncFnMut() -> bool) {
    soon(async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

pub fn event(key: &str) -> Event {
    let payload = prost::Message::encode_to_vec(&UserRegistered { user_id: Uuid::new_v4().to_string() });
    Event {
        id: Uuid::now_v7(),
        key: key.to_owned(),
        aggregate_id: Uuid::new_v4(),
        payload,
        at: OffsetDateTime::now_utc(),
    }
}
