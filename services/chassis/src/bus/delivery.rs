//! Handling of one delivery: retried until it is processed or found unprocessable, then acknowledged.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use futures::FutureExt;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use super::event::{AGGREGATE, Event, HandleError, Handler};
use crate::telemetry;

/// Header: how often a quorum queue delivered a message before.
const DELIVERIES: &str = "x-delivery-count";
/// A message delivered this often is stored as a dead letter. At 100 deliveries the broker would move it to its own dead
/// letter queue, without a row that staff can see. The bound also stops a message that crashes the process each time.
const MOST_DELIVERIES: i64 = 50;
/// How often a failure that may pass is tried in place, which takes about a quarter of an hour, before the message goes
/// back to its queue; the broker waits for an acknowledgement for half an hour.
const TRIES_IN_PLACE: u32 = 100;

/// Handles a delivery. `false` if the process ends before the outcome is known: then it stays unacknowledged.
///
/// # Errors
/// The broker's, and the failure that did not pass: everything unacknowledged goes back to its queue in its order.
pub async fn deliver(
    delivery: Delivery,
    handler: Arc<dyn Handler>,
    shutdown: CancellationToken,
) -> anyhow::Result<bool> {
    let key = delivery.routing_key.to_string();
    let span = tracing::info_span!("events.handle", otel.name = %format!("events.{key}"), key);
    telemetry::continue_trace(&span, &Headers(delivery.properties.headers().as_ref()));
    let outcome = handle(&delivery, &key, &handler, &shutdown).instrument(span).await;
    match outcome {
        Ok(()) => delivery.ack(BasicAckOptions::default()).await?,
        Err(HandleError::Transient(error)) if shutdown.is_cancelled() => {
            tracing::warn!(key, %error, "event returned to its queue");
            return Ok(false);
        }
        Err(HandleError::Transient(error)) => return Err(error.context(format!("{key} goes back to its queue"))),
        Err(HandleError::Poison(error)) => {
            tracing::error!(key, %error, "event moved to the dead letters");
            keep_dead_letter(&delivery, &key, &handler, &format!("{error:#}"), &shutdown).await?;
            delivery.reject(BasicRejectOptions { requeue: false }).await?
        }
    };
    Ok(true)
}

/// Handles one delivery, again after a growing pause while the failure may pass.
async fn handle(
    delivery: &Delivery,
    key: &str,
    handler: &Arc<dyn Handler>,
    shutdown: &CancellationToken,
) -> Result<(), HandleError> {
    let event = read(delivery, key).map_err(HandleError::Poison)?;
    let deliveries = deliveries(delivery);
    if deliveries >= MOST_DELIVERIES {
        return Err(HandleError::Poison(anyhow!("delivered {deliveries} times without an outcome")));
    }
    let mut tries = 0;
    loop {
        let outcome = AssertUnwindSafe(handler.handle(&event)).catch_unwind().await;
        match outcome {
            Ok(Err(HandleError::Transient(error))) if tries < TRIES_IN_PLACE && !shutdown.is_cancelled() => {
                tries += 1;
                tracing::warn!(key, tries, error = %format!("{error:#}"), "event will be retried");
                pause(tries, shutdown).await;
            }
            Ok(result) => return result,
            Err(_) => return Err(HandleError::Poison(anyhow!("the handler panicked"))),
        }
    }
}

/// Writes the row that staff see, again while the database is away: a rejected message without it would be unseen.
async fn keep_dead_letter(
    delivery: &Delivery,
    key: &str,
    handler: &Arc<dyn Handler>,
    cause: &str,
    shutdown: &CancellationToken,
) -> Result<(), sqlx::Error> {
    let id = delivery.properties.message_id().as_ref().map(ToString::to_string).unwrap_or_default();
    let mut tries = 0;
    loop {
        match handler.keep_dead_letter(&id, key, &delivery.data, cause).await {
            Err(error) if tries < TRIES_IN_PLACE && !shutdown.is_cancelled() => {
                tries += 1;
                tracing::warn!(key, tries, %error, "could not store the dead letter, will retry");
                pause(tries, shutdown).await;
            }
            done => return done,
        }
    }
}

async fn pause(tries: u32, shutdown: &CancellationToken) {
    let most = 200 * 2u64.pow(tries.min(6));
    let pause = Duration::from_millis(rand::random_range(most / 2..most));
    let _ = tokio::time::timeout(pause, shutdown.cancelled()).await;
}

fn read(delivery: &Delivery, key: &str) -> anyhow::Result<Event> {
    let properties = &delivery.properties;
    let id = properties.message_id().as_ref().ok_or_else(|| anyhow!("no message id"))?;
    let seconds = properties.timestamp().unwrap_or_default();
    Ok(Event {
        id: id.as_str().parse().context("the message id is no UUID")?,
        key: key.to_owned(),
        aggregate_id: aggregate(delivery),
        payload: delivery.data.clone(),
        at: OffsetDateTime::from_unix_timestamp(i64::try_from(seconds)?)?,
    })
}

/// What the event happened to; another id for each event of a version that did not say.
pub fn aggregate(delivery: &Delivery) -> Uuid {
    let headers = delivery.properties.headers().as_ref();
    headers.and_then(|headers| text(headers, AGGREGATE)?.parse().ok()).unwrap_or_else(Uuid::now_v7)
}

fn deliveries(delivery: &Delivery) -> i64 {
    let count = delivery.properties.headers().as_ref().and_then(|headers| headers.inner().get(DELIVERIES));
    match count {
        Some(AMQPValue::LongLongInt(count)) => *count,
        Some(AMQPValue::LongInt(count)) => i64::from(*count),
        Some(AMQPValue::LongUInt(count)) => i64::from(*count),
        Some(AMQPValue::ShortInt(count)) => i64::from(*count),
        Some(AMQPValue::ShortUInt(count)) => i64::from(*count),
        Some(AMQPValue::ShortShortInt(count)) => i64::from(*count),
        Some(AMQPValue::ShortShortUInt(count)) => i64::from(*count),
        _ => 0,
    }
}

fn text<'a>(headers: &'a FieldTable, name: &str) -> Option<&'a str> {
    match headers.inner().get(name)? {
        AMQPValue::LongString(text) => std::str::from_utf8(text.as_bytes()).ok(),
        _ => None,
    }
}

struct Headers<'a>(Option<&'a FieldTable>);

impl opentelemetry::propagation::Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        text(self.0?, key)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.map(|table| table.inner().keys().map(|key| key.as_str()).collect()).unwrap_or_default()
    }
}
