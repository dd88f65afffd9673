//! Removal of the personal data of members whose account was closed long ago (D-A12). Auth says when a member's time has come;
//! every service then removes what it keeps itself.

use std::time::Duration;

use async_trait::async_trait;
use proto::auth::v1::ListErasedMembersRequest;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use tokio_util::sync::CancellationToken;

use crate::call;
use crate::db::{Db, PgConnection};
use crate::error::{Refusal, from_status};
use crate::grpc::{Channel, Outgoing};
use crate::id::MemberId;
use crate::identity::Credential;
use crate::sweep::every;

/// How often auth is asked.
const PAUSE: Duration = Duration::from_hours(1);

/// What a service keeps about members.
#[async_trait]
pub trait Erase: Send + Sync {
    /// Removes the personal data of these members, in the caller's transaction. It may happen again.
    ///
    /// # Errors
    /// The database's.
    async fn erase(&self, conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error>;
}

/// Why a removal failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Auth does not answer.
    #[error("auth: {0}")]
    Auth(Refusal),
    /// The own database.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Removes, as auth says, until shutdown.
pub struct Eraser {
    db: Db,
    client: DirectoryServiceClient<Channel>,
    credential: Credential,
}

impl Eraser {
    /// Asks auth over this channel with this credential.
    #[must_use]
    pub fn new(db: Db, channel: Channel, credential: Credential) -> Self {
        Self { db, client: DirectoryServiceClient::new(channel), credential }
    }

    /// Asks every hour until shutdown.
    ///
    /// # Errors
    /// None; as a task of a process takes it.
    pub async fn run(self, own: impl Erase, shutdown: CancellationToken) -> anyhow::Result<()> {
        every(PAUSE, "personal data", shutdown, || self.erase_next(&own)).await;
        Ok(())
    }

    /// Removes the data of the members who come next; returns how many there were. Processes may do so at once: each repeats
    /// what the other did.
    ///
    /// # Errors
    /// If auth or the database does not answer.
    pub async fn erase_next(&self, own: &impl Erase) -> Result<usize, Error> {
        let done =
            sqlx::query_scalar!("SELECT user_id FROM erasures").fetch_optional(&mut *self.db.conn().await?).await?;
        let members = self.members_after(done.map(Into::into)).await.map_err(Error::Auth)?;
        let Some(last) = members.last() else { return Ok(0) };
        let mut tx = self.db.begin().await?;
        own.erase(&mut tx, &members).await?;
        sqlx::query!(
            "INSERT INTO erasures (user_id) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET user_id = $1",
            last.get()
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(members.len())
    }

    async fn members_after(&self, done: Option<MemberId>) -> Result<Vec<MemberId>, Refusal> {
        let message = ListErasedMembersRequest { after_user_id: done.map(|id| id.to_string()).unwrap_or_default() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, list_erased_members, request).await.map_err(|status| from_status(&status))?;
        answer.into_inner().user_ids.iter().map(|id| id.parse().map_err(|_| Refusal::unavailable())).collect()
    }
}
