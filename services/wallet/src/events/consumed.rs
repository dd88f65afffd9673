//! Events of others: a registration makes the member's accounts.

use anyhow::anyhow;
use async_trait::async_trait;
use chassis::bus::{Event, HandleError, Handler};
use chassis::db::Db;
use chassis::error::{Fault, Kind};
use chassis::inbox;
use prost::Message;
use proto::auth::v1::UserRegistered;
use uuid::Uuid;

use crate::app::open_accounts::open_accounts;

/// The queue of the wallet.
pub const QUEUE: &str = "wallet.events";

/// Handles what arrives in [`QUEUE`].
pub struct Events {
    /// The wallet's database.
    pub db: Db,
}

#[async_trait]
impl Handler for Events {
    async fn handle(&self, event: &Event) -> Result<(), HandleError> {
        let user_id = match event.key.as_str() {
            "auth.v1.user_registered" => registered(event).map_err(HandleError::Poison)?,
            other => return Err(HandleError::Poison(anyhow!("no use for {other}"))),
        };
        open_accounts(&self.db, event, user_id).await.map_err(|error| match error.kind() {
            Kind::Unavailable => HandleError::Transient(error.into()),
            _ => HandleError::Poison(error.into()),
        })
    }

    async fn park(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error> {
        inbox::park(&mut *self.db.conn().await?, id, key, payload, cause).await
    }
}

fn registered(event: &Event) -> anyhow::Result<Uuid> {
    Ok(UserRegistered::decode(event.payload.as_slice())?.user_id.parse()?)
}
