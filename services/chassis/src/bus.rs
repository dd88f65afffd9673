//! RabbitMQ: the topology, a publisher with confirms, and consumers that acknowledge after their commit.
//!
//! Every process declares the whole topology when it connects, so that any start order works and no event is published
//! before the queue of its consumer exists.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};
use async_trait::async_trait;
use futures::{FutureExt, StreamExt};
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicNackOptions, BasicPublishOptions, BasicQosOptions, BasicRejectOptions,
    ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, LongString};
use lapin::uri::AMQPUri;
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties, ExchangeKind};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use crate::telemetry;

/// Durable queues and the keys they want.
pub const TOPOLOGY: [(&str, &[&str]); 2] = [
    ("mailer.events", &["auth.v1.*", "wallet.v1.*", "trade.v1.*", "payment_method.v1.*"]),
    ("wallet.events", &["auth.v1.user_registered"]),
];
/// The topic exchange of all events.
const EXCHANGE: &str = "events";
/// Where messages go that no consumer can use.
const DEAD_LETTERS: &str = "events.dead";
/// Messages that a consumer works on at once.
const PREFETCH: u16 = 16;
/// Bytes of a frame, of which a connection keeps room for 64: with the broker's own limit that would be 8 MiB.
const FRAME: u32 = 16 * 1024;
/// How often a failure that may pass is tried in place before the message goes back to its queue.
const TRIES_IN_PLACE: u32 = 20;

/// Where the broker is and which exchange names it uses; tests set a prefix of their own.
#[derive(Debug, Clone)]
pub struct Bus {
    url: String,
    prefix: String,
    connected: Arc<AtomicBool>,
}

/// An event as it travels.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its id; the same for every delivery.
    pub id: Uuid,
    /// E.g. `wallet.v1.deposit_confirmed`.
    pub key: String,
    /// The protobuf message.
    pub payload: Vec<u8>,
    /// When it was written.
    pub at: OffsetDateTime,
}

/// Why an event could not take effect.
#[derive(Debug)]
pub enum HandleError {
    /// It may work later: the database or another service is away.
    Transient(anyhow::Error),
    /// It never will.
    Poison(anyhow::Error),
}

/// What a service does with events.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    /// Takes effect at most once an event, in one transaction with the inbox row.
    async fn handle(&self, event: &Event) -> Result<(), HandleError>;

    /// Keeps an event that can never take effect, for people to look at.
    async fn park(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error>;
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
        Self { url: url.to_owned(), prefix: prefix.to_owned(), connected: Arc::new(AtomicBool::new(false)) }
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
        let connecting = Connection::connect_uri(uri, properties);
        let connection =
            tokio::time::timeout(Duration::from_secs(5), connecting).await.context("broker too slow")??;
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
        while !shutdown.is_cancelled() {
            if let Err(error) = self.consume_once(queue, &handler, &shutdown).await {
                self.connected.store(false, Ordering::Relaxed);
                tracing::warn!(queue, error = %format!("{error:#}"), "consumer lost the broker");
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
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(done) = at_work.join_next() => { done??; }
                delivery = deliveries.next() => {
                    let delivery = delivery.ok_or_else(|| anyhow!("the broker ended the consumer"))??;
                    at_work.spawn(deliver(delivery, Arc::clone(handler), shutdown.clone()));
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
        match tokio::time::timeout(Duration::from_secs(5), publishing).await.context("no confirmation")?? {
            // A message that no queue wanted is confirmed too, but comes back.
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_)) => Err(anyhow!("no queue takes {}", event.key)),
            other => Err(anyhow!("the broker refused {}: {other:?}", event.key)),
        }
    }

    /// Whether the connection still stands.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }
}

async fn deliver(delivery: Delivery, handler: Arc<dyn Handler>, shutdown: CancellationToken) -> anyhow::Result<()> {
    let key = delivery.routing_key.to_string();
    let span = tracing::info_span!("events.handle", otel.name = %format!("events.{key}"), key);
    telemetry::continue_trace(&span, &Headers(delivery.properties.headers().as_ref()));
    let outcome = handle(&delivery, &key, &handler, &shutdown).instrument(span).await;
    match outcome {
        Ok(()) => delivery.ack(BasicAckOptions::default()).await?,
        Err(HandleError::Transient(error)) => {
            tracing::warn!(key, %error, "event goes back to its queue");
            delivery.nack(BasicNackOptions { requeue: true, ..Default::default() }).await?
        }
        Err(HandleError::Poison(error)) => {
            tracing::error!(key, %error, "event parked");
            let id = delivery.properties.message_id().as_ref().map(ToString::to_string).unwrap_or_default();
            handler.park(&id, &key, &delivery.data, &format!("{error:#}")).await?;
            delivery.reject(BasicRejectOptions { requeue: false }).await?
        }
    };
    Ok(())
}

/// Handles one delivery, again after a growing pause while the failure may pass.
async fn handle(
    delivery: &Delivery,
    key: &str,
    handler: &Arc<dyn Handler>,
    shutdown: &CancellationToken,
) -> Result<(), HandleError> {
    let event = read(delivery, key).map_err(HandleError::Poison)?;
    let mut tries = 0;
    loop {
        let outcome = AssertUnwindSafe(handler.handle(&event)).catch_unwind().await;
        match outcome {
            Ok(Err(HandleError::Transient(error))) if tries < TRIES_IN_PLACE && !shutdown.is_cancelled() => {
                tries += 1;
                tracing::warn!(key, tries, error = %format!("{error:#}"), "event is tried again");
                let most = 200 * 2u64.pow(tries.min(6));
                let pause = Duration::from_millis(rand::random_range(most / 2..most));
                let _ = tokio::time::timeout(pause, shutdown.cancelled()).await;
            }
            Ok(result) => return result,
            Err(_) => return Err(HandleError::Poison(anyhow!("the handler panicked"))),
        }
    }
}

fn read(delivery: &Delivery, key: &str) -> anyhow::Result<Event> {
    let properties = &delivery.properties;
    let id = properties.message_id().as_ref().ok_or_else(|| anyhow!("no message id"))?;
    let seconds = properties.timestamp().unwrap_or_default();
    Ok(Event {
        id: id.as_str().parse().context("the message id is no UUID")?,
        key: key.to_owned(),
        payload: delivery.data.clone(),
        at: OffsetDateTime::from_unix_timestamp(i64::try_from(seconds)?)?,
    })
}

fn quorum(texts: &[(&str, &str)]) -> FieldTable {
    let mut table = FieldTable::default();
    table.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    for (name, value) in texts {
        table.insert((*name).into(), AMQPValue::LongString((*value).into()));
    }
    table
}

struct Headers<'a>(Option<&'a FieldTable>);

impl opentelemetry::propagation::Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match self.0?.inner().get(key)? {
            AMQPValue::LongString(text) => std::str::from_utf8(text.as_bytes()).ok(),
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        self.0.map(|table| table.inner().keys().map(|key| key.as_str()).collect()).unwrap_or_default()
    }
}
