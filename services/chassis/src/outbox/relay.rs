//! The relay: publishes events of the outbox to the broker at least once, those of one aggregate in
//! order.

use std::collections::HashMap;
use std::time::Duration;

use futures::future::join_all;
use sqlx::FromRow;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::bus::{Bus, Event, Publisher};
use crate::db::{self, Db};
use crate::telemetry::TraceContext;

/// Events published between two commits.
const BATCH: i64 = 1_000;

#[derive(FromRow)]
struct Row {
    id: i64,
    event_id: Uuid,
    key: String,
    aggregate_id: Uuid,
    payload: Vec<u8>,
    trace_context: serde_json::Value,
    created_at: OffsetDateTime,
}

/// Relays until shutdown: woken by every commit of this process, and every second for those of others. (Not by NOTIFY,
/// which takes one lock for all commits of a database.)
pub async fn run(db: Db, bus: Bus, name: &str, shutdown: CancellationToken) {
    let mut publisher: Option<Publisher> = None;
    loop {
        let relayed = relay_all(&db, &bus, name, &mut publisher).await;
        if let Err(error) = &relayed {
            tracing::warn!(error = %format!("{error:#}"), "could not publish events, they stay in the outbox");
            publisher = None;
        }
        tokio::select! {
            () = shutdown.cancelled() => break,
            // A broker that is away is not asked again for every commit.
            () = db.committed(), if relayed.is_ok() => {}
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
    // What the last calls wrote before they ended.
    let _ = relay_all(&db, &bus, name, &mut publisher).await;
}

async fn relay_all(db: &Db, bus: &Bus, name: &str, publisher: &mut Option<Publisher>) -> anyhow::Result<()> {
    if publisher.as_ref().is_none_or(|publisher| !publisher.is_up()) {
        *publisher = Some(bus.publisher(&format!("{name}.relay")).await?);
    }
    let Some(publisher) = publisher else { return Ok(()) };
    while relay_batch(db, publisher).await? == usize::try_from(BATCH)? {}
    Ok(())
}

/// Publishes the oldest waiting events and marks those that the broker has. Returns how many it found.
///
/// # Errors
/// The error of the first event that the broker does not confirm.
pub async fn relay_batch(db: &Db, publisher: &Publisher) -> anyhow::Result<usize> {
    let mut tx = db.begin().await?;
    // One relay of a table at a time keeps the order of each aggregate's events.
    let mine = sqlx::query_scalar!(r#"SELECT pg_try_advisory_xact_lock('outbox'::regclass::oid::bigint) AS "mine!""#)
        .fetch_one(&mut *tx)
        .await?;
    if !mine {
        return Ok(0);
    }
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, event_id, key, aggregate_id, payload, trace_context, created_at FROM outbox
         WHERE published_at IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED",
        BATCH
    )
    .fetch_all(&mut *tx)
    .await?;
    let found = rows.len();
    if found == 0 {
        // A commit would wake this relay again, and so for ever.
        return Ok(0);
    }
    crate::crash_point!("outbox.before_publish");
    let results = join_all(by_aggregate(rows).into_iter().map(|rows| publish_in_order(publisher, rows))).await;
    let (mut done, mut failure) = (Vec::with_capacity(found), None);
    for (published, result) in results {
        done.extend(published);
        failure = failure.or(result.err());
    }
    crate::crash_point!("outbox.after_publish");
    if !done.is_empty() {
        sqlx::query!("UPDATE outbox SET published_at = clock_timestamp() WHERE id = ANY ($1)", &done)
            .execute(&mut *tx)
            .await?;
        metrics::counter!("outbox_published_total").increment(done.len() as u64);
    }
    crate::crash_point!("outbox.before_commit");
    tx.commit().await?;
    crate::crash_point!("outbox.after_commit");
    failure.map_or(Ok(found), Err)
}

/// The rows of each aggregate, the aggregates by their first row.
fn by_aggregate(rows: Vec<Row>) -> Vec<Vec<Row>> {
    let (mut aggregates, mut places): (Vec<Vec<Row>>, HashMap<Uuid, usize>) = (Vec::new(), HashMap::new());
    for row in rows {
        let place = *places.entry(row.aggregate_id).or_insert(aggregates.len());
        match aggregates.get_mut(place) {
            Some(rows) => rows.push(row),
            None => aggregates.push(vec![row]),
        }
    }
    aggregates
}

/// Publishes events of one aggregate one after another, up to the first that the broker does not take: none that came
/// later may overtake it.
async fn publish_in_order(publisher: &Publisher, rows: Vec<Row>) -> (Vec<i64>, anyhow::Result<()>) {
    let mut published = Vec::with_capacity(rows.len());
    for row in rows {
        let trace_context: TraceContext = serde_json::from_value(row.trace_context).unwrap_or_default();
        let event = Event {
            id: row.event_id,
            key: row.key,
            aggregate_id: row.aggregate_id,
            payload: row.payload,
            at: row.created_at,
        };
        if let Err(error) = publisher.publish(&event, &trace_context).await {
            return (published, Err(error));
        }
        published.push(row.id);
    }
    (published, Ok(()))
}

/// Forgets events published a week ago: so long they are kept for a replay. Called now and then by the process.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM outbox WHERE id = ANY (ARRAY(
                SELECT id FROM outbox WHERE published_at < now() - interval '7 days' LIMIT 5000))"
        )
    })
    .await
}
