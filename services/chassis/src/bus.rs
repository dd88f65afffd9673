//! RabbitMQ: the topology, a publisher with confirms, and consumers that acknowledge after their commit.
//!
//! Every process declares the whole topology when it connects, so that any start order works and no event is published
//! before the queue of its consumer exists.

mod delivery;
mod event;
mod lanes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use futures::StreamExt;
use lapin::options::{
    BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions, ExchangeDeclareOptions,
    QueueBindOptions, QueueDeclareOptions,
};
use lapin::runtime::default_runtime;
use lapin::tcp::OwnedTLSConfig;
use lapin::types::{AMQPValue, FieldTable, LongString};
use lapin::uri::AMQPUri;
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties, ExchangeKind};
use tokio_util::sync::CancellationToken;

use self::event::AGGREGATE;
pub use self::event::{Effect, Event, HandleError, Handler};
use self::lanes::Lanes;
use crate::telemetry;

/// Durable queues and the keys they want.
pub const TOPOLOGY: [(&str, &[&str]); 2] = [
    ("mailer.events", &["auth.v1.*", "wallet.v1.*", "trade.v1.*", "payment_method.v1.*", "cases.v1.*"]),
    ("wallet.events", &["auth.v1.user_registered", "auth.v1.activity_disowned"]),
];
/// The topic exchange of all events.
const EXCHANGE: &str = "events";
/// Where messages go that no consumer can use.
const DEAD_LETTERS: &str = "events.dead";
/// Messages that a consumer works on at once.
const PREFETCH: u16 = 16;
/// Bytes of a frame, of which a connection keeps room for 64: with the broker's own limit that would be 8 MiB.
const FRAME: u32 = 16 * 1024;
/// A consumer that lasted so long had reached the broker.
const STEADY: Duration = Duration::from_secs(10);
/// Where the broker is and which exchange names it uses; tests set a prefix of their own.
#[derive(Debug, Clone)]
pub struct Bus {
    url: String,
    prefix: String,
    authority: Option<String>,
    connected: Arc<AtomicBool>,
}

impl Bus {
    /// The broker at this url.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self::with_prefix(url, "")
    }

    /// The same with a prefix on every exchange and queue.
    #[must_use]
    pub fn with_prefix(url: &str, prefix: &str) -> Self {
        let connected = Arc::new(AtomicBool::new(false));
        Self { url: url.to_owned(), prefix: prefix.to_owned(), authority: None, connected }
    }

    /// The same, which at an `amqps://` url accepts certificates of this authority too, in PEM.
    #[must_use]
    pub fn trusting(self, authority: Option<String>) -> Self {
        Self { authority, ..self }
    }

    /// Whether the last connection made through this handle, or a clone of it, still stands.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }

    /// Opens a connection of its own, with the topology declared.
    ///
    /// # Errors
    /// If the broker is away or refuses.
    pub async fn connect(&self, name: &str) -> anyhow::Result<(Connection, Channel)> {
        let properties = ConnectionProperties::default().with_connection_name(name.into());
        let mut uri: AMQPUri = self.url.parse().map_err(|error| anyhow!("the broker's url: {error}"))?;
        uri.query.frame_max.get_or_insert(FRAME);
        let tls = OwnedTLSConfig { identity: None, cert_chain: self.authority.clone() };
        let connecting = Connection::connect_uri_with_config(uri, properties, tls, default_runtime()?);
        let connection = tokio::time::timeout(Duration::from_secs(5), connecting)
            .await
            .context("connecting to the broker timed out")??;
        let channel = connection.create_channel().await?;
        self.declare(&channel).await?;
        Ok((connection, channel))
    }

    async fn declare(&self, channel: &Channel) -> anyhow::Result<()> {
        let durable = ExchangeDeclareOptions { durable: true, ..Default::default() };
        for (name, kind) in [(EXCHANGE, ExchangeKind::Topic), (DEAD_LETTERS, ExchangeKind::Direct)] {
            let name = format!("{}{name}", self.prefix);
            channel.exchange_declare(name.into(), kind, durable, FieldTable::default()).await?;
        }
        let options = QueueDeclareOptions { durable: true, ..Default::default() };
        for (name, keys) in TOPOLOGY {
            let queue = format!("{}{name}", self.prefix);
            let dead = format!("{queue}.dead");
            channel.queue_declare(dead.as_str().into(), options, quorum(&[])).await?;
            let exchange = format!("{}{DEAD_LETTERS}", self.prefix);
            let bind = QueueBindOptions::default();
            channel
                .queue_bind(
                    dead.as_str().into(),
                    exchange.as_str().into(),
                    queue.as_str().into(),
                    bind,
                    FieldTable::default(),
                )
                .await?;
            let arguments = quorum(&[("x-dead-letter-exchange", &exchange), ("x-dead-letter-routing-key", &queue)]);
            channel.queue_declare(queue.as_str().into(), options, arguments).await?;
            for key in keys {
                let exchange = format!("{}{EXCHANGE}", self.prefix);
                channel
                    .queue_bind(queue.as_str().into(), exchange.into(), (*key).into(), bind, FieldTable::default())
                    .await?;
            }
        }
        Ok(())
    }

    /// A publisher with a connection of its own: under a memory alarm the broker blocks connections that publish.
    ///
    /// # Errors
    /// If the broker is away.
    pub async fn publisher(&self, name: &str) -> anyhow::Result<Publisher> {
        let (connection, channel) = self.connect(name).await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        self.connected.store(true, Ordering::Relaxed);
        Ok(Publisher { exchange: format!("{}{EXCHANGE}", self.prefix), connection, channel })
    }

    /// Events of these keys from now on, as (key, payload), for live views: unacknowledged, lost while nobody listens.
    ///
    /// # Errors
    /// If the broker is away.
    pub async fn tap(
        &self,
        name: &str,
        keys: &[&str],
    ) -> anyhow::Result<impl futures::Stream<Item = anyhow::Result<(String, Vec<u8>)>> + Unpin + use<>> {
        let (connection, channel) = self.connect(name).await?;
        let options = QueueDeclareOptions { exclusive: true, auto_delete: true, ..Default::default() };
        let queue = channel.queue_declare("".into(), options, FieldTable::default()).await?;
        for key in keys {
            let exchange = format!("{}{EXCHANGE}", self.prefix);
            channel
                .queue_bind(
                    queue.name().clone(),
                    exchange.into(),
                    (*key).into(),
                    QueueBindOptions::default(),
                    FieldTable::default(),
                )
                .await?;
        }
        let options = BasicConsumeOptions { no_ack: true, ..Default::default() };
        let deliveries =
            channel.basic_consume(queue.name().clone(), name.into(), options, FieldTable::default()).await?;
        Ok(deliveries.map(move |delivery| {
            // The connection lives as long as the stream.
            let _ = &connection;
            let delivery = delivery?;
            Ok((delivery.routing_key.to_string(), delivery.data.clone()))
        }))
    }

    /// Consumes a queue of [`TOPOLOGY`] until shutdown, reconnecting for ever.
    pub async fn consume(&self, queue: &str, handler: Arc<dyn Handler>, shutdown: CancellationToken) {
        let mut failures = 0u32;
        while !shutdown.is_cancelled() {
            let begun = Instant::now();
            if let Err(error) = self.consume_once(queue, &handler, &shutdown).await {
                self.connected.store(false, Ordering::Relaxed);
                failures = if begun.elapsed() > STEADY { 1 } else { failures.saturating_add(1) };
                let error = format!("{error:#}");
                // A broker that has just started ends a connection now and then while queues get their leaders.
                if failures == 1 {
                    tracing::info!(queue, error, "consumer lost the connection to the broker, reconnecting");
                } else {
                    tracing::warn!(queue, error, failures, "consumer cannot reach the broker");
                }
                let pause = Duration::from_millis(rand::random_range(500..1_500));
                let _ = tokio::time::timeout(pause, shutdown.cancelled()).await;
            }
        }
    }

    async fn consume_once(
        &self,
        queue: &str,
        handler: &Arc<dyn Handler>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<()> {
        let (connection, channel) = self.connect(queue).await?;
        channel.basic_qos(PREFETCH, BasicQosOptions::default()).await?;
        let name = format!("{}{queue}", self.prefix);
        let mut deliveries = channel
            .basic_consume(name.into(), queue.into(), BasicConsumeOptions::default(), FieldTable::default())
            .await?;
        self.connected.store(true, Ordering::Relaxed);
        tracing::info!(queue, "consuming");
        let mut at_work = tokio::task::JoinSet::new();
        let mut lanes = Lanes::default();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(done) = at_work.join_next() => { done??; }
                delivery = deliveries.next() => {
                    let delivery = delivery.ok_or_else(|| anyhow!("the broker ended the consumer"))??;
                    let turn = lanes.line_up(delivery::aggregate(&delivery));
                    at_work.spawn(turn.take(delivery::deliver(delivery, Arc::clone(handler), shutdown.clone())));
                }
            }
        }
        while let Some(done) = at_work.join_next().await {
            done??;
        }
        connection.close(200, "done".into()).await?;
        Ok(())
    }
}

/// Sends events and waits for the broker to have them.
pub struct Publisher {
    exchange: String,
    connection: Connection,
    channel: Channel,
}

impl Publisher {
    /// Publishes one event; resolves when the broker has it in at least one queue.
    ///
    /// # Errors
    /// If it was refused, could not be routed, or no confirmation came within 5 s.
    pub async fn publish(&self, event: &Event, trace_context: &telemetry::TraceContext) -> anyhow::Result<()> {
        let mut headers = FieldTable::default();
        headers.insert(AGGREGATE.into(), AMQPValue::LongString(event.aggregate_id.to_string().into()));
        for (name, value) in trace_context.iter() {
            headers.insert(name.as_str().into(), AMQPValue::LongString(LongString::from(value.as_str())));
        }
        let properties = BasicProperties::default()
            .with_message_id(event.id.to_string().into())
            .with_type(event.key.as_str().into())
            .with_content_type("application/protobuf".into())
            .with_timestamp(u64::try_from(event.at.unix_timestamp()).unwrap_or_default())
            .with_delivery_mode(2)
            .with_headers(headers);
        let options = BasicPublishOptions { mandatory: true, ..Default::default() };
        let publishing = async {
            self.channel
                .basic_publish(
                    self.exchange.as_str().into(),
                    event.key.as_str().into(),
                    options,
                    &event.payload,
                    properties,
                )
                .await?
                .await
        };
        match tokio::time::timeout(Duration::from_secs(5), publishing)
            .await
            .context("the publisher confirm timed out")??
        {
            // A message that no queue wanted is confirmed too, but comes back.
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_)) => Err(anyhow!("no queue takes {}", event.key)),
            other => Err(anyhow!("the broker refused {}: {other:?}", event.key)),
        }
    }

    /// Publishes a message for live views: it is in no outbox, and lost if no queue wants it or the broker stops.
    ///
    /// # Errors
    /// If it was refused, or no confirmation came within 5 s.
    pub async fn publish_live(&self, key: &str, message: &impl prost::Message) -> anyhow::Result<()> {
        let properties =
            BasicProperties::default().with_content_type("application/protobuf".into()).with_delivery_mode(1);
        let payload = message.encode_to_vec();
        let publishing = async {
            let options = BasicPublishOptions::default();
            self.channel
                .basic_publish(self.exchange.as_str().into(), key.into(), options, &payload, properties)
                .await?
                .await
        };
        match tokio::time::timeout(Duration::from_secs(5), publishing)
            .await
            .context("the publisher confirm timed out")??
        {
            Confirmation::Ack(_) => Ok(()),
            other => Err(anyhow!("the broker refused {key}: {other:?}")),
        }
    }

    /// Whether the connection still stands.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }
}

fn quorum(texts: &[(&str, &str)]) -> FieldTable {
    let mut table = FieldTable::default();
    table.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    for (name, value) in texts {
        table.insert((*name).into(), AMQPValue::LongString((*value).into()));
    }
    table
}
