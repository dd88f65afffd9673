//! Live updates: passes events from the broker to the browsers of the members concerned.

use chassis::id::UserId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::anyhow;
use chassis::bus::Bus;
use futures::StreamExt;
use prost::Message;
use proto::auth::v1::SessionEnded;
use proto::cases::v1::CaseAnswered;
use proto::mailer::v1::NoticeAdded;
use proto::payment_method::v1::PaymentChanged;
use proto::trade::v1::TradeOpened;
use proto::wallet::v1::{BalanceMoved, DepositRequested};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::http::convert::non_empty;
use crate::peers::cache::plans::PlanCache;

/// Updates that a slow stream may lag behind; beyond them its client has to reload everything.
const BACKLOG: usize = 1_024;

/// Streams that one member may follow at once.
const STREAMS: usize = 8;

/// A message to the open streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// Something changed for a member.
    Changed {
        user_id: String,
        /// The event, e.g. `wallet.v1.deposit_confirmed`.
        key: String,
    },
    /// Sessions ended, so their streams close.
    Ended { session_ids: Vec<String> },
}

/// The updates of this process.
#[derive(Clone)]
pub struct Live {
    updates: broadcast::Sender<Update>,
    streams: Arc<Mutex<HashMap<UserId, usize>>>,
    shutdown: CancellationToken,
}

/// A stream of one member and its updates.
pub struct Listener {
    /// Updates from now on.
    pub updates: broadcast::Receiver<Update>,
    /// Sent when the process stops, so that the client reconnects to another one.
    pub shutdown: CancellationToken,
    user_id: UserId,
    streams: Arc<Mutex<HashMap<UserId, usize>>>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut entry) = streams.entry(self.user_id) {
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }
}

impl Live {
    /// No streams yet; those that come end with the process.
    #[must_use]
    pub fn new(shutdown: CancellationToken) -> Self {
        Self { updates: broadcast::channel(BACKLOG).0, streams: Arc::default(), shutdown }
    }

    /// Subscribes to the updates of a member. `None` if they have too many streams open.
    #[must_use]
    pub fn listen(&self, user_id: UserId) -> Option<Listener> {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let count = streams.entry(user_id).or_default();
        if *count >= STREAMS {
            return None;
        }
        *count += 1;
        let shutdown = self.shutdown.clone();
        Some(Listener { updates: self.updates.subscribe(), shutdown, user_id, streams: self.streams.clone() })
    }

    /// Follows the broker until shutdown. Without a broker clients poll, and every request looks up the plans.
    pub async fn follow(self, bus: Bus, plans: Arc<PlanCache>) -> anyhow::Result<()> {
        while !self.shutdown.is_cancelled() {
            let followed = self.follow_once(&bus, &plans).await;
            plans.set_connected(false);
            if let Err(error) = followed {
                tracing::warn!(error = %format!("{error:#}"), "live updates lost the broker");
                let pause = Duration::from_millis(rand_pause());
                let _ = tokio::time::timeout(pause, self.shutdown.cancelled()).await;
            }
        }
        Ok(())
    }

    async fn follow_once(&self, bus: &Bus, plans: &PlanCache) -> anyhow::Result<()> {
        let keys = [
            "wallet.v1.*",
            "trade.v1.*",
            "auth.v1.session_ended",
            "payment_method.v1.payment_changed",
            "cases.v1.*",
            "mailer.v1.notice_added",
        ];
        let mut events = bus.tap("gateway.live", &keys).await?;
        plans.set_connected(true);
        loop {
            tokio::select! {
                () = self.shutdown.cancelled() => return Ok(()),
                event = events.next() => {
                    let (key, payload) = event.ok_or_else(|| anyhow!("the broker ended the consumer"))??;
                    if key == "trade.v1.plan_changed" {
                        plans.invalidate();
                    } else if let Some(update) = update(key, &payload) {
                        // It is no failure if no client listens.
                        let _ = self.updates.send(update);
                    }
                }
            }
        }
    }
}

fn update(key: String, payload: &[u8]) -> Option<Update> {
    if key == "auth.v1.session_ended" {
        return Some(Update::Ended { session_ids: SessionEnded::decode(payload).ok()?.session_ids });
    }
    member_of(&key, payload).map(|user_id| Update::Changed { user_id, key })
}

/// Events of wallet begin with `TransactionFacts`, except those of trades; events of trade begin with `TradeFacts`, those of cases with `CaseFacts`. One
/// message of each family can therefore decode the member of all.
fn member_of(key: &str, payload: &[u8]) -> Option<String> {
    let user_id = if key == "wallet.v1.trade_funded" || key == "wallet.v1.trade_settled" {
        BalanceMoved::decode(payload).ok()?.user_id
    } else if key.starts_with("wallet.") {
        DepositRequested::decode(payload).ok()?.transaction?.user_id
    } else if key.starts_with("payment_method.") {
        PaymentChanged::decode(payload).ok()?.user_id
    } else if key.starts_with("cases.") {
        CaseAnswered::decode(payload).ok()?.case?.user_id
    } else if key.starts_with("mailer.") {
        NoticeAdded::decode(payload).ok()?.user_id
    } else {
        TradeOpened::decode(payload).ok()?.trade?.user_id
    };
    non_empty(user_id)
}

fn rand_pause() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    500 + RandomState::new().build_hasher().finish() % 1_000
}
