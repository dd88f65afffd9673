//! Consumed events: a registration creates the member's accounts, and the report "This was not me" takes back what was done
//! with the money lately.

use anyhow::anyhow;
use async_trait::async_trait;
use chassis::bus::{Effect, Event, HandleError, Handler};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::dead_letter;
use chassis::error::{Fault, Kind};
use chassis::id::{MemberId, TransactionId};
use chassis::inbox;
use prost::Message;
use proto::auth::v1::{ActivityDisowned, UserRegistered};

use crate::app::withdrawal::cancel_disowned::{cancel_disowned, paid_unrecorded};
use crate::clients::{Chains, Methods};
use crate::domain::disowning::Report;
use crate::error::Error;
use crate::posting;
use crate::store::member_buckets;

pub const QUEUE: &str = "wallet.events";

pub struct Events {
    pub db: Db,
    /// Whether a payout is on its way.
    pub chains: Chains,
    /// Takes back saved methods.
    pub methods: Methods,
}

/// A member registered: their accounts are made ahead of need.
struct Registered {
    user_id: MemberId,
}

#[async_trait]
impl Effect for Registered {
    async fn apply(&self, conn: &mut PgConnection) -> Result<(), HandleError> {
        let home = conn.home();
        member_buckets::enter(conn, self.user_id).await?;
        posting::open_accounts(conn, self.user_id).await?;
        Ok(conn.enter(home).await?)
    }
}

/// A member reported that someone else used the account.
struct Disowned {
    user_id: MemberId,
    report: Report,
    /// The approved withdrawal that was paid already, as the chain shows.
    paid: Option<TransactionId>,
}

#[async_trait]
impl Effect for Disowned {
    async fn apply(&self, conn: &mut PgConnection) -> Result<(), HandleError> {
        let home = conn.home();
        member_buckets::enter(conn, self.user_id).await?;
        cancel_disowned(conn, self.user_id, self.report, self.paid).await?;
        Ok(conn.enter(home).await?)
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

    /// Takes back what was added to the account, so that the withdrawal never waits for it.
    async fn after(&self, event: &Event) -> Result<(), HandleError> {
        if let Some((user_id, report)) = report(event)? {
            self.methods.take_back(user_id, (report.since(), report.at)).await.map_err(Error::from)?;
        }
        Ok(())
    }

    async fn prepare(&self, event: &Event) -> Result<Box<dyn Effect>, HandleError> {
        match event.key.as_str() {
            "auth.v1.user_registered" => {
                let message = read::<UserRegistered>(event)?;
                Ok(Box::new(Registered { user_id: member(&message.user_id)? }))
            }
            _ => {
                let (user_id, report) =
                    report(event)?.ok_or_else(|| HandleError::Poison(anyhow!("no use for {}", event.key)))?;
                let paid = paid_unrecorded(&self.db, &self.chains, user_id).await?;
                Ok(Box::new(Disowned { user_id, report, paid }))
            }
        }
    }

    async fn keep_dead_letter(&self, id: &str, key: &str, payload: &[u8], cause: &str) -> Result<(), sqlx::Error> {
        dead_letter::keep(&mut *self.db.conn().await?, id, key, payload, cause).await
    }
}

/// The member's report, if the event is one.
fn report(event: &Event) -> Result<Option<(MemberId, Report)>, HandleError> {
    if event.key != "auth.v1.activity_disowned" {
        return Ok(None);
    }
    let message = read::<ActivityDisowned>(event)?;
    let at = message.reported_at.as_ref().and_then(clock::from_proto);
    let at = at.ok_or_else(|| HandleError::Poison(anyhow!("a report without a time")))?;
    Ok(Some((member(&message.user_id)?, Report { at })))
}

fn read<M: Message + Default>(event: &Event) -> Result<M, HandleError> {
    M::decode(event.payload.as_slice()).map_err(|error| HandleError::Poison(error.into()))
}

fn member(id: &str) -> Result<MemberId, HandleError> {
    id.parse().map_err(|error: uuid::Error| HandleError::Poison(error.into()))
}
