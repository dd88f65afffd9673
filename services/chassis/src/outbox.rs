//! The outbox: events are written in the transaction of the change and published after its commit.

pub mod relay;

use prost::Message;
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::PgConnection;
use crate::telemetry::TraceContext;

/// An event as it goes into the outbox, with the trace of the request that it comes from.
#[derive(Debug, Clone)]
pub struct Unsent {
    /// Identifies the event for the inbox of its consumers.
    pub id: Uuid,
    /// The routing key, `<service>.v1.<event>`.
    pub key: String,
    /// Events of one aggregate are published in the order of their rows.
    pub aggregate_id: Uuid,
    /// The encoded protobuf message.
    pub payload: Vec<u8>,
    /// W3C trace context of the request that wrote it.
    pub trace_context: Json<TraceContext>,
}

impl Unsent {
    /// An event of now.
    pub fn new(key: &str, aggregate_id: impl Into<Uuid>, message: &impl Message) -> Self {
        let trace_context = Json(TraceContext::current());
        Self {
            id: Uuid::now_v7(),
            key: key.to_owned(),
            aggregate_id: aggregate_id.into(),
            payload: message.encode_to_vec(),
            trace_context,
        }
    }

    /// Writes it into the transaction.
    pub async fn enqueue(self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context) VALUES ($1, $2, $3, $4, $5)",
            self.id,
            self.key,
            self.aggregate_id,
            self.payload,
            self.trace_context as _
        )
        .execute(conn)
        .await?;
        Ok(())
    }
}

/// Writes an event into the transaction. The key is `<service>.v1.<event>`; the aggregate is what it happened to.
pub async fn enqueue(
    conn: &mut PgConnection,
    key: &str,
    aggregate_id: impl Into<Uuid>,
    message: &impl Message,
) -> Result<(), sqlx::Error> {
    Unsent::new(key, aggregate_id, message).enqueue(conn).await
}

/// Age in seconds of the oldest event that waits in this bucket; 0 when none does.
pub async fn oldest_seconds(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::bigint AS "seconds!"
         FROM outbox WHERE published_at IS NULL"#
    )
    .fetch_one(conn)
    .await
}
