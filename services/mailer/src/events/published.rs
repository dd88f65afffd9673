//! What this service publishes: that a member has a new notice. Live views alone want it, and read the notice itself from
//! here, so it is not in the outbox and may be lost.

use chassis::bus::{Bus, Publisher};
use chassis::id::UserId;
use proto::mailer::v1::NoticeAdded;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const NOTICE_ADDED: &str = "mailer.v1.notice_added";
/// Notices that wait to be published; further ones are dropped, as while the broker is away.
const WAITING: usize = 1_024;

/// Passes the members who have a new notice to [`publish`].
#[derive(Debug, Clone)]
pub struct LiveNotices(mpsc::Sender<UserId>);

impl LiveNotices {
    /// The two ends of the queue.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<UserId>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), receiver)
    }

    /// Call it after the commit.
    pub fn added(&self, user_id: UserId) {
        // One that is dropped is read with the next.
        let _ = self.0.try_send(user_id);
    }
}

/// Publishes them until shutdown.
pub async fn publish(bus: Bus, mut added: mpsc::Receiver<UserId>, shutdown: CancellationToken) {
    let mut publisher = None;
    while let Some(Some(user_id)) = shutdown.run_until_cancelled(added.recv()).await {
        let message = NoticeAdded { user_id: user_id.to_string() };
        if let Err(error) = publish_one(&bus, &mut publisher, &message).await {
            publisher = None;
            tracing::debug!(error = %format!("{error:#}"), "a live notice was lost");
        }
    }
}

async fn publish_one(bus: &Bus, publisher: &mut Option<Publisher>, message: &NoticeAdded) -> anyhow::Result<()> {
    let publisher = match publisher {
        Some(publisher) => publisher,
        None => publisher.insert(bus.publisher("mailer.live").await?),
    };
    publisher.publish_live(NOTICE_ADDED, message).await
}
