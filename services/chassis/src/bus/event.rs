//! Events and their handlers.

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::db::PgConnection;
use crate::error::{Fault, Kind};

/// Header: the aggregate of an event.
pub(super) const AGGREGATE: &str = "x-aggregate-id";

/// An event as it travels.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its id; the same for every delivery.
    pub id: Uuid,
    /// The routing key, e.g. `wallet.v1.deposit_confirmed`.
    pub key: String,
    /// What it happened to: events of one aggregate take effect in the order in which they were written.
    pub aggregate_id: Uuid,
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

    /// Reads an event, and asks other services for what its effect needs: all that is to be done before a transaction.
    async fn prepare(&self, event: &Event) -> Result<Box<dyn Effect>, HandleError>;

    /// Runs once the effect of an event is committed. A redelivery repeats it.
    async fn after(&self, _event: &Event) -> Result<(), HandleError> {
        Ok(())
    }

    /// Stores an event that can never take effect, for staff to see.
    async fn keep_dead_letter(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error>;
}

/// What an event changes, with everything that it takes from other services.
#[async_trait]
pub trait Effect: Send + Sync {
    /// Takes effect in the caller's transaction, which holds the inbox row.
    async fn apply(&self, conn: &mut PgConnection) -> Result<(), HandleError>;
}

impl From<sqlx::Error> for HandleError {
    fn from(error: sqlx::Error) -> Self {
        match error.kind() {
            Kind::Unavailable => Self::Transient(error.into()),
            _ => Self::Poison(error.into()),
        }
    }
}
