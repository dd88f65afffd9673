//! Events, at the services that publish and consume them.

use std::collections::HashSet;

use anyhow::Result;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::snapshots::Snapshots;
use crate::verdict::Verdict;
use stack::Service;

/// The number of events looked up at once.
const EVENTS: i64 = 10_000;

/// Every event published more than a minute ago is in the inboxes of its consumers.
pub(super) async fn events_arrived(snapshots: &mut Snapshots) -> Result<Verdict> {
    let mut lost = Vec::new();
    for database in Service::services() {
        let mut after = 0;
        loop {
            let sent: Vec<(i64, Uuid, String)> = sqlx::query_as(
                "SELECT id, event_id, key FROM outbox WHERE id > $1 AND published_at < clock_timestamp() - interval '60 seconds'
                 ORDER BY id LIMIT $2",
            )
            .bind(after)
            .bind(EVENTS)
            .fetch_all(snapshots.of(database)?)
            .await?;
            let Some((last, ..)) = sent.last() else { break };
            after = *last;
            let registered = sent.iter().filter(|(_, _, key)| key == "auth.v1.user_registered");
            let registered: Vec<Uuid> = registered.map(|(_, id, _)| *id).collect();
            let all: Vec<Uuid> = sent.iter().map(|(_, id, _)| *id).collect();
            let missing = [
                ("mailer", missing(snapshots.of(Service::Mailer)?, all).await?),
                ("wallet", missing(snapshots.of(Service::Wallet)?, registered).await?),
            ];
            for (consumer, missing) in missing {
                let told = sent.iter().filter(|(_, id, _)| missing.contains(id));
                lost.extend(told.map(|(_, id, key)| format!("{key} {id} never reached {consumer}")));
            }
        }
    }
    Ok(Verdict::new("Q4", "every event took effect at its consumers", lost))
}

/// The events that a consumer neither processed nor dead-lettered.
async fn missing(consumer: &mut PgConnection, events: Vec<Uuid>) -> Result<HashSet<Uuid>> {
    let missing: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM unnest($1::uuid[]) AS id WHERE NOT EXISTS (SELECT FROM inbox WHERE inbox.event_id = id)
            AND NOT EXISTS (SELECT FROM dead_letters WHERE dead_letters.event_id = id::text)",
    )
    .bind(events)
    .fetch_all(consumer)
    .await?;
    Ok(missing.into_iter().collect())
}
