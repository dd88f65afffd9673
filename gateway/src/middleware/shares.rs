//! Fair shares of something bounded: whoever holds some may take as much as is still free, and no more. One holder alone
//! gets half, two a third each, and a newcomer always finds something.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

/// Something of which there are `total`, and of which one key may hold at most `each`.
pub struct Shares<K> {
    total: u64,
    each: u64,
    held: Mutex<Held<K>>,
    released: Notify,
}

struct Held<K> {
    all: u64,
    by_key: HashMap<K, u64>,
}

/// What was taken; given back when it is dropped.
pub struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    key: Option<K>,
    amount: u64,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    /// So many, of which one key may hold at most `each`.
    #[must_use]
    pub fn new(total: u64, each: u64) -> Arc<Self> {
        let held = Mutex::new(Held { all: 0, by_key: HashMap::new() });
        Arc::new(Self { total, each, held, released: Notify::new() })
    }

    /// Takes some for a key, if it may have them. Without a key only the total counts.
    pub fn take(self: &Arc<Self>, key: Option<K>, amount: u64) -> Option<Share<K>> {
        self.reserve(key, amount).then(|| Share { shares: Arc::clone(self), key, amount })
    }

    /// Takes one for a key as soon as it may have it.
    pub async fn take_within(self: &Arc<Self>, key: Option<K>, patience: Duration) -> Option<Share<K>> {
        let wait = async {
            loop {
                let mut released = std::pin::pin!(self.released.notified());
                released.as_mut().enable();
                if let Some(share) = self.take(key, 1) {
                    return share;
                }
                released.await;
            }
        };
        timeout(patience, wait).await.ok()
    }

    fn reserve(&self, key: Option<K>, amount: u64) -> bool {
        let mut held = self.lock();
        let free = self.total - held.all;
        let own = key.and_then(|key| held.by_key.get(&key).copied()).unwrap_or(0);
        let may_hold = if key.is_some() { free.min(self.each) } else { free };
        if amount > free || own.saturating_add(amount) > may_hold {
            return false;
        }
        held.all += amount;
        if let Some(key) = key {
            held.by_key.insert(key, own + amount);
        }
        true
    }
}

impl<K> Shares<K> {
    fn lock(&self) -> MutexGuard<'_, Held<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Share<K> {
    /// Takes more for the same key, if it may have it.
    pub fn grow(&mut self, amount: u64) -> bool {
        let grown = self.shares.reserve(self.key, amount);
        if grown {
            self.amount += amount;
        }
        grown
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut held = self.shares.lock();
        held.all -= self.amount;
        if let Some(key) = &self.key {
            let left = held.by_key.get(key).map_or(0, |own| own - self.amount);
            if left == 0 {
                held.by_key.remove(key);
            } else if let Some(own) = held.by_key.get_mut(key) {
                *own = left;
            }
        }
        drop(held);
        self.shares.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Shares;

    /// [D-V1] One key never takes everything; a newcomer finds a share; what is given back can be taken again.
    #[tokio::test]
    async fn a_newcomer_always_finds_a_share() {
        let shares = Shares::new(12, 12);
        let first: Vec<_> = std::iter::from_fn(|| shares.take(Some("a"), 1)).collect();
        assert_eq!(first.len(), 6);
        let second: Vec<_> = std::iter::from_fn(|| shares.take(Some("b"), 1)).collect();
        assert_eq!(second.len(), 3);
        assert!(shares.take(Some("c"), 1).is_some());
        drop((first, second));
        assert!(shares.take(Some("a"), 6).is_some());
        assert_eq!(shares.lock().by_key.len(), 0, "nothing is kept of keys that hold nothing");
    }

    #[tokio::test]
    async fn waiting_ends_when_a_share_is_given_back() {
        let shares = Shares::new(4, 1);
        let share = shares.take(Some(1), 1);
        assert!(shares.take_within(Some(1), Duration::from_millis(1)).await.is_none());
        let waits = tokio::spawn({
            let shares = shares.clone();
            async move { shares.take_within(Some(1), Duration::from_secs(5)).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(share);
        assert!(waits.await.unwrap());
    }
}
