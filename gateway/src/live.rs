//! Live updates: what happened to whom, from the broker to the browsers that listen.

use std::time::Duration;

use anyhow::anyhow;
use chassis::bus::Bus;
use futures::StreamExt;
use prost::Message;
use proto::trade::v1::TradeOpened;
use proto::wallet::v1::DepositRequested;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// Updates that a slow listener may be behind before it is told to ask for everything.
const BACKLOG: usize = 1_024;

/// Something changed for a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The member.
    pub user_id: String,
    /// `wallet.v1.deposit_confirmed` and the like.
    pub key: String,
}

/// The updates of this process.
#[derive(Clone)]
pub struct Live(broadcast::Sender<Update>);

impl Default for Live {
    fn default() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }
}

impl Live {
    /// What happens from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Update> {
        self.0.subscribe()
    }

    /// Follows the broker until shutdown; without it clients poll.
    pub async fn follow(self, bus: Bus, shutdown: CancellationToken) -> anyhow::Result<()> {
        while !shutdown.is_cancelled() {
            if let Err(error) = self.follow_once(&bus, &shutdown).await {
                tracing::warn!(error = %format!("{error:#}"), "live updates lost the broker");
                let pause = Duration::from_millis(rand_pause());
                let _ = tokio::time::timeout(pause, shutdown.cancelled()).await;
            }
        }
        Ok(())
    }

    async fn follow_once(&self, bus: &Bus, shutdown: &CancellationToken) -> anyhow::Result<()> {
        let mut events = bus.tap("gateway.live", &["wallet.v1.*", "trade.v1.*"]).await?;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                event = events.next() => {
                    let (key, payload) = event.ok_or_else(|| anyhow!("the broker ended the consumer"))??;
                    if let Some(user_id) = member_of(&key, &payload) {
                        // Nobody listening is no failure.
                        let _ = self.0.send(Update { user_id, key });
                    }
                }
            }
        }
    }
}

/// Every event of wallet carries TransactionFacts first, every one of trade TradeFacts; the first message of each kind
/// reads them all.
fn member_of(key: &str, payload: &[u8]) -> Option<String> {
    let user_id = if key.starts_with("wallet.") {
        DepositRequested::decode(payload).ok()?.transaction?.user_id
    } else {
        TradeOpened::decode(payload).ok()?.trade?.user_id
    };
    Some(user_id).filter(|id| !id.is_empty())
}

fn rand_pause() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    500 + RandomState::new().build_hasher().finish() % 1_000
}
