//! What nodes said about transactions, remembered for as long as the newest block is the same. A member's hashes are looked up
//! this many times an hour: a member who invents some uses up only their own quota.

use chassis::id::MemberId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use time::{Duration, OffsetDateTime};

use super::chain::Chain;
use super::rpc::ChainError;
use crate::domain::payment::{Found, Search};

/// Questions to nodes about the transactions of one member.
const LIMIT: u32 = 60;
const WINDOW: Duration = Duration::HOUR;
/// Blocks may take long: what does not exist yet is asked for again after this time.
const LONGEST: Duration = Duration::minutes(1);
/// Answers and members that are remembered.
const REMEMBERED: usize = 10_000;

/// For whose deposit or payout a node is asked, and at which newest block.
#[derive(Debug, Clone, Copy)]
pub struct Asker {
    pub user_id: MemberId,
    pub tip: i64,
    pub now: OffsetDateTime,
}

#[derive(Debug, Default)]
pub struct Lookups(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    told: HashMap<(&'static str, String), Told>,
    /// Since when, and how many.
    asked: HashMap<MemberId, (OffsetDateTime, u32)>,
}

#[derive(Debug)]
struct Told {
    tip: i64,
    at: OffsetDateTime,
    found: Option<Found>,
}

impl Lookups {
    /// A transaction as the node shows it; `None` if it says that there is none.
    ///
    /// # Errors
    /// If the node cannot be used, or was asked too often for this member.
    pub async fn transaction(
        &self,
        chain: &Chain,
        txid: &str,
        search: Search<'_>,
        asker: Asker,
    ) -> Result<Option<Found>, ChainError> {
        let key = (chain.name(), txid.to_owned());
        if let Some(found) = self.with(|memory| memory.remembered(&key, asker)) {
            return Ok(found);
        }
        if !self.with(|memory| memory.charge(asker)) {
            return Err(ChainError::TooOften);
        }
        let found = chain.transaction(txid, search).await?;
        let told = Told { tip: asker.tip, at: asker.now, found: found.clone() };
        self.with(|memory| memory.told.insert(key, told));
        Ok(found)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Memory) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Memory {
    fn remembered(&self, key: &(&'static str, String), asker: Asker) -> Option<Option<Found>> {
        let told = self.told.get(key)?;
        let is_recent = told.tip == asker.tip && asker.now - told.at <= LONGEST;
        is_recent.then(|| told.found.clone())
    }

    /// Whether a node may be asked for this member once more.
    fn charge(&mut self, asker: Asker) -> bool {
        if self.told.len() >= REMEMBERED {
            self.told.retain(|_, told| asker.now - told.at <= LONGEST);
        }
        if self.asked.len() >= REMEMBERED {
            self.asked.retain(|_, (since, _)| asker.now - *since <= WINDOW);
        }
        let (since, count) = self.asked.entry(asker.user_id).or_insert((asker.now, 0));
        if asker.now - *since > WINDOW {
            (*since, *count) = (asker.now, 0);
        }
        *count += 1;
        *count <= LIMIT
    }
}

#[cfg(test)]
mod tests {
    use chassis::id::MemberId;
    use time::{Duration, OffsetDateTime};
    use uuid::Uuid;

    use super::{Asker, LIMIT, Memory};

    /// [D-N7] One member's hashes do not use up what the nodes may be asked; an hour later they are looked up again.
    #[test]
    fn a_member_is_limited() {
        let mut memory = Memory::default();
        let asker = |user, minutes| Asker {
            user_id: MemberId::new(Uuid::from_u128(user)),
            tip: 1,
            now: OffsetDateTime::UNIX_EPOCH + Duration::minutes(minutes),
        };
        assert!((0..LIMIT).all(|_| memory.charge(asker(1, 0))));
        assert!(!memory.charge(asker(1, 60)));
        assert!(memory.charge(asker(2, 60)));
        assert!(memory.charge(asker(1, 61)));
    }
}
