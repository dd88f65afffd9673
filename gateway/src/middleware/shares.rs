//! Fair shares of something bounded: a holder may take as much as is still free, and no more. One holder alone
//! gets half, two a third each, and a newcomer always finds something.

use std::collections::{BTreeMap, HashMap};
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
    /// Requests that wait, by ticket: the key and the amount.
    waiting: BTreeMap<u64, (Option<K>, u64)>,
    last_ticket: u64,
}

/// A place in the queue, given up on drop.
struct Waiting<K: Copy + Eq + Hash> {
    shares: Arc<Shares<K>>,
    ticket: u64,
}

/// What was taken; given back when it is dropped.
pub struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    key: Option<K>,
    amount: u64,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    /// This many, of which one key may hold at most `each`.
    #[must_use]
    pub fn new(total: u64, each: u64) -> Arc<Self> {
        let held = Held { all: 0, by_key: HashMap::new(), waiting: BTreeMap::new(), last_ticket: 0 };
        let held = Mutex::new(held);
        Arc::new(Self { total, each, held, released: Notify::new() })
    }

    /// Takes some for a key, if it may have them. Without a key only the total counts.
    pub fn take(self: &Arc<Self>, key: Option<K>, amount: u64) -> Option<Share<K>> {
        self.reserve(key, amount).then(|| Share { shares: Arc::clone(self), key, amount })
    }

    /// Takes an amount for a key as soon as the key may have it and no earlier request may take its own.
    pub async fn take_within(self: &Arc<Self>, key: Option<K>, amount: u64, patience: Duration) -> Option<Share<K>> {
        let waiting = self.queue(key, amount);
        let wait = async {
            loop {
                let mut released = std::pin::pin!(self.released.notified());
                released.as_mut().enable();
                if self.reserve_in_turn(waiting.ticket) {
                    return Share { shares: Arc::clone(self), key, amount };
                }
                released.await;
            }
        };
        timeout(patience, wait).await.ok()
    }

    fn queue(self: &Arc<Self>, key: Option<K>, amount: u64) -> Waiting<K> {
        let mut held = self.lock();
        held.last_ticket += 1;
        let ticket = held.last_ticket;
        held.waiting.insert(ticket, (key, amount));
        Waiting { shares: Arc::clone(self), ticket }
    }

    fn reserve_in_turn(&self, ticket: u64) -> bool {
        let mut held = self.lock();
        let mut those_who_may = held.waiting.iter().filter(|(_, (key, amount))| self.may_take(&held, *key, *amount));
        let Some((key, amount)) =
            those_who_may.next().filter(|(first, _)| **first == ticket).map(|(_, wanted)| *wanted)
        else {
            return false;
        };
        held.add(key, amount);
        true
    }

    fn reserve(&self, key: Option<K>, amount: u64) -> bool {
        let mut held = self.lock();
        let may_take = self.may_take(&held, key, amount);
        if may_take {
            held.add(key, amount);
        }
        may_take
    }

    fn may_take(&self, held: &Held<K>, key: Option<K>, amount: u64) -> bool {
        let free = self.total - held.all;
        let own = key.and_then(|key| held.by_key.get(&key).copied()).unwrap_or(0);
        let may_hold = if key.is_some() { free.min(self.each) } else { free };
        amount <= free && own.saturating_add(amount) <= may_hold
    }
}

impl<K: Copy + Eq + Hash> Held<K> {
    fn add(&mut self, key: Option<K>, amount: u64) {
        self.all += amount;
        if let Some(key) = key {
            *self.by_key.entry(key).or_default() += amount;
        }
    }
}

impl<K: Copy + Eq + Hash> Drop for Waiting<K> {
    fn drop(&mut self) {
        self.shares.lock().waiting.remove(&self.ticket);
        self.shares.released.notify_waiters();
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
        assert!(shares.take_within(Some(1), 1, Duration::from_millis(1)).await.is_none());
        let waits = tokio::spawn({
            let shares = shares.clone();
            async move { shares.take_within(Some(1), 1, Duration::from_secs(5)).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(share);
        assert!(waits.await.unwrap());
    }

    /// [D-V1] Who waits longest is next, unless it may not have what is free: then the one after it.
    #[tokio::test]
    async fn those_who_wait_are_served_in_order() {
        let shares = Shares::new(8, 4);
        let held = [shares.take(Some(1), 4).unwrap(), shares.take(Some(2), 3).unwrap()];
        let (served, mut order) = tokio::sync::mpsc::unbounded_channel();
        let mut waiters = Vec::new();
        for (name, key, amount) in [("large", 3, 3), ("same key", 1, 1), ("small", 4, 1), ("small, later", 5, 1)] {
            let (shares, served) = (shares.clone(), served.clone());
            waiters.push(tokio::spawn(async move {
                let share = shares.take_within(Some(key), amount, Duration::from_secs(5)).await;
                served.send(name).unwrap();
                share
            }));
            tokio::task::yield_now().await;
        }
        // One is free: the first needs more, and the second has its share.
        assert_eq!(order.recv().await, Some("small"));
        drop(held);
        let mut rest = [order.recv().await, order.recv().await, order.recv().await];
        rest.sort_unstable();
        assert_eq!(rest, [Some("large"), Some("same key"), Some("small, later")]);
        drop(waiters);
    }
}
