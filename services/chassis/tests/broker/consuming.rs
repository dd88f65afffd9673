//! Consuming, with a handler that does as it is set.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use anyhow::anyhow;
use async_trait::async_trait;
use chassis::bus::{Bus, Effect, Event, HandleError, Handler};
use chassis::telemetry::TraceContext;
use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicNackOptions, BasicPublishOptions};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::fixture::{Broker, KEY, QUEUE, event, soon, until};

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

async fn publish(broker: &Broker, events: &[&Event]) {
    let publisher = broker.direct.bus.publisher("test").await.unwrap();
    for event in events {
        publisher.publish(event, &TraceContext::default()).await.unwrap();
    }
}

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
