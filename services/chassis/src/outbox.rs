//! The outbox: events are written in the transaction of what they tell of, and published after its commit.

pub mod relay;

use prost::Message;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::telemetry::TraceContext;

/// Writes an event into the transaction. The key is `<service>.v1.<event>`; the aggregate is what it happened to.
///
/// # Errors
/// The database's.
pub async fn enqueue(
    conn: &mut PgConnection,
    key: &str,
    aggregate_id: Uuid,
    message: &impl Message,
) -> Result<(), sqlx::Error> {
    let trace_context = serde_json::to_value(TraceContext::current()).unwrap_or_default();
    sqlx::query("INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context) VALUES ($1, $2, $3, $4, $5)")
        .bind(Uuid::now_v7())
        .bind(key)
        .bind(aggregate_id)
        .bind(message.encode_to_vec())
        .bind(trace_context)
        .execute(conn)
        .await?;
    Ok(())
}

/// Age in seconds of the oldest event that waits; 0 when none does.
///
/// # Errors
/// The database's.
pub async fn oldest_seconds(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::bigint
         FROM outbox WHERE published_at IS NULL",
    )
    .fetch_one(conn)
    .await
}

/// Number of events that can never take effect here.
///
/// # Errors
/// The database's.
pub async fn parked(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT count(*) FROM parked_events").fetch_one(conn).await
}
