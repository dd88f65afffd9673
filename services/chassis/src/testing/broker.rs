//! Exchanges and queues of one test on a shared RabbitMQ.

use lapin::Channel;
use lapin::options::{ExchangeDeleteOptions, QueueDeleteOptions};
use uuid::Uuid;

use crate::bus::{Bus, TOPOLOGY};

/// The broker at `AMQP_URL`, by default that of this machine, with names of its own for everything.
pub struct Broker {
    /// The connection settings.
    pub bus: Bus,
    /// Where the broker is.
    pub url: String,
    /// The beginning of the names of all exchanges and queues.
    pub prefix: String,
}

impl Default for Broker {
    fn default() -> Self {
        let url = std::env::var("AMQP_URL").unwrap_or_else(|_| "amqp://guest:guest@127.0.0.1:5672".to_owned());
        let prefix = format!("test-{}.", Uuid::new_v4());
        Self { bus: Bus::with_prefix(&url, &prefix), url, prefix }
    }
}

impl Broker {
    /// A channel on a new connection.
    pub async fn channel(&self) -> Channel {
        self.bus.connect("test").await.expect("the broker answers").1
    }

    /// Deletes all exchanges and queues.
    pub async fn remove(self) {
        let channel = self.channel().await;
        for (queue, _) in TOPOLOGY {
            for name in [format!("{}{queue}", self.prefix), format!("{}{queue}.dead", self.prefix)] {
                channel.queue_delete(name.into(), QueueDeleteOptions::default()).await.expect("the queue is deleted");
            }
        }
        for name in ["events", "events.dead"] {
            let name = format!("{}{name}", self.prefix);
            let deleted = channel.exchange_delete(name.into(), ExchangeDeleteOptions::default()).await;
            deleted.expect("the exchange is deleted");
        }
    }
}
