//! Consumed events: a registration creates the member's accounts.

use anyhow::anyhow;
use async_trait::async_trait;
use chassis::bus::{Effect, Event, HandleError, Handler};
use chassis::db::{Db, PgConnection};
use chassis::dead_letter;
use chassis::error::{Fault, Kind};
use chassis::inbox;
use prost::Message;
use proto::auth::v1::UserRegistered;
use uuid::Uuid;

use crate::posting;

pub const QUEUE: &str = "wallet.events";

pub struct Events {
    pub db: Db,
}

/// A member registered: their accounts are made ahead of need.
struct Registered {
    user_id: Uuid,
}

#[async_trait]
impl Effect for Registered {
    async fn apply(&self, conn: &mut PgConnection) -> Result<(), HandleError> {
        posting::open_accounts(conn, self.user_id).await.map_err(|error| match error.kind() {
            Kind::Unavailable => HandleError::Transient(error.into()),
            _ => HandleError::Poison(error.into()),
        })
    }
}

#[async_trait]
impl Handler for Events {
    async fn handle(&self, event: &Event) -> Result<(), HandleError> {
        inbox::take_effect(&self.db, self, event).await
    }

    async fn prepare(&self, event: &Event) -> Result<Box<dyn Effect>, HandleError> {
        match event.key.as_str() {
            "auth.v1.user_registered" => {
                Ok(Box::new(Registered { user_id: registered(event).map_err(HandleError::Poison)? }))
            }
            other => Err(HandleError::Poison(anyhow!("no use for {other}"))),
        }
    }

    async fn keep_dead_letter(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error> {
        dead_letter::keep(&mut *self.db.conn().await?, id, key, payload, cause).await
    }
}

fn registered(event: &Event) -> anyhow::Result<Uuid> {
    Ok(UserRegistered::decode(event.payload.as_slice())?.user_id.parse()?)
}
