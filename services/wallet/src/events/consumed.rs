//! Consumed events: a registration creates the member's accounts, and the report "This was not me" cancels a withdrawal that
//! was never confirmed.

use anyhow::anyhow;
use async_trait::async_trait;
use chassis::bus::{Effect, Event, HandleError, Handler};
use chassis::db::{Db, PgConnection};
use chassis::dead_letter;
use chassis::error::{Fault, Kind};
use chassis::inbox;
use prost::Message;
use proto::auth::v1::{ActivityDisowned, UserRegistered};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::cancel_disowned::cancel_disowned;
use crate::error::Error;
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
        Ok(posting::open_accounts(conn, self.user_id).await?)
    }
}

/// A member reported that someone else used the account.
struct Disowned {
    user_id: Uuid,
    at: OffsetDateTime,
}

#[async_trait]
impl Effect for Disowned {
    async fn apply(&self, conn: &mut PgConnection) -> Result<(), HandleError> {
        Ok(cancel_disowned(conn, self.user_id, self.at).await?)
    }
}

impl From<Error> for HandleError {
    fn from(error: Error) -> Self {
        match error.kind() {
            Kind::Unavailable => Self::Transient(error.into()),
            _ => Self::Poison(error.into()),
        }
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
                let message = read::<UserRegistered>(event)?;
                Ok(Box::new(Registered { user_id: member(&message.user_id)? }))
            }
            "auth.v1.activity_disowned" => {
                let message = read::<ActivityDisowned>(event)?;
                Ok(Box::new(Disowned { user_id: member(&message.user_id)?, at: event.at }))
            }
            other => Err(HandleError::Poison(anyhow!("no use for {other}"))),
        }
    }

    async fn keep_dead_letter(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error> {
        dead_letter::keep(&mut *self.db.conn().await?, id, key, payload, cause).await
    }
}

fn read<M: Message + Default>(event: &Event) -> Result<M, HandleError> {
    M::decode(event.payload.as_slice()).map_err(|error| HandleError::Poison(error.into()))
}

fn member(id: &str) -> Result<Uuid, HandleError> {
    id.parse().map_err(|error: uuid::Error| HandleError::Poison(error.into()))
}
