//! Decides which movements go into which commit. Pure: time is a parameter.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::mem;
use std::time::{Duration, Instant};

use crate::posting::Outcome;

#[cfg(test)]
mod simulation;

/// Movements of one commit.
pub(super) const BATCH: usize = 256;
/// Movements that wait.
const WAITING: usize = 2_048;
/// Commits that run at once, on different accounts, when there is enough to do.
const AT_ONCE: usize = 2;
/// Commits that run at once when all of them are slow.
const AT_MOST: usize = 4;
/// How many must wait for a commit beside another, and a quarter of what that one has: fewer are cheaper in one commit
/// when it is done.
pub(super) const BESIDE: usize = 8;
/// A commit older than this is slow: movements on other accounts get one beside it.
const SLOW: Duration = Duration::from_millis(50);
/// How long a movement waits for the commit that applies it.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// How long after it could not be applied a movement is tried again, at first and at last.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(64));

#[derive(Debug, Clone, Default)]
pub(super) struct Footprint {
    /// What two movements of one commit must not share: the database looks at what was there before all of them.
    pub(super) alone: [Option<u64>; 2],
    pub(super) accounts: Vec<u64>,
}

impl Footprint {
    fn subjects(&self) -> impl Iterator<Item = &u64> {
        self.alone.iter().flatten().chain(&self.accounts)
    }
}

/// A movement that waits, or whose commit runs.
#[derive(Debug)]
pub(super) struct Item<T> {
    pub(super) task: T,
    footprint: Footprint,
    deadline: Instant,
    /// Since it could not be applied: not before then.
    due: Option<Instant>,
    tries: u32,
    /// Those of a commit that failed as a whole are tried in smaller ones, which hold no other movements.
    cohort: u64,
}

/// Movements of one commit.
#[derive(Debug)]
pub(super) struct Batch<T> {
    id: u64,
    pub(super) items: Vec<Item<T>>,
}

/// How a commit ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// It was committed; what became of each, in their order.
    Committed(Vec<Outcome>),
    /// The database took it back, or never had it: it may be tried again.
    Undone,
    /// The database took it back because of what is in it.
    Refused,
    /// It is unknown whether it was committed.
    Unknown,
}

/// What is said to a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Decided(Outcome),
    /// Nothing changed: the database refused it, for a reason that the end of its commit returns.
    Refused,
    Unknown,
}

struct Running {
    begun: Instant,
    held: HashSet<u64>,
    movements: usize,
}

/// What waits for its commit, and what the commits that run keep others from.
pub(super) struct Queue<T> {
    /// In order of arrival.
    waiting: VecDeque<Item<T>>,
    /// How many may be free that were not so, or not there, when the last were taken.
    fresh: usize,
    /// What the movements of running commits hold.
    held: HashSet<u64>,
    running: BTreeMap<u64, Running>,
    commits: u64,
    cohorts: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            fresh: 0,
            held: HashSet::new(),
            running: BTreeMap::new(),
            commits: 0,
            cohorts: 0,
        }
    }
}

impl<T> Queue<T> {
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING
    }

    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// When the oldest commit that runs began.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.running.values().map(|running| running.begun).min()
    }

    pub(super) fn push(&mut self, task: T, footprint: Footprint, now: Instant) {
        let deadline = now + PATIENCE;
        self.waiting.push_back(Item { task, footprint, deadline, due: None, tries: 0, cohort: 0 });
        self.fresh += 1;
    }

    /// Those that have waited for too long.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<T> {
        if self.waiting.iter().all(|item| item.deadline > now) {
            return Vec::new();
        }
        let (late, waiting): (VecDeque<_>, VecDeque<_>) =
            mem::take(&mut self.waiting).into_iter().partition(|item| item.deadline <= now);
        self.waiting = waiting;
        late.into_iter().map(|item| item.task).collect()
    }

    /// The next commit, if one may begin: a movement that needs nothing a running one holds, or one before them waits
    /// for. So each account's movements stay in their order, and no commit of this process waits for another's locks.
    pub(super) fn take(&mut self, now: Instant) -> Option<Batch<T>> {
        if self.waiting.is_empty() || !self.may_begin(now) {
            return None;
        }
        let mut items: Vec<Item<T>> = Vec::new();
        let (mut alone, mut awaited, mut held) = (HashSet::new(), HashSet::new(), HashSet::new());
        for item in mem::take(&mut self.waiting) {
            // Whose account is locked by another process keeps nobody else waiting.
            if item.due.is_some_and(|due| due > now) {
                self.waiting.push_back(item);
                continue;
            }
            let is_free = items.len() < BATCH
                && items.first().is_none_or(|first| first.cohort == item.cohort)
                && item.footprint.subjects().all(|one| !self.held.contains(one) && !awaited.contains(one))
                && !item.footprint.alone.iter().flatten().any(|one| alone.contains(one));
            if is_free {
                alone.extend(item.footprint.alone.into_iter().flatten());
                held.extend(item.footprint.subjects());
                items.push(item);
            } else {
                awaited.extend(item.footprint.subjects().copied());
                self.waiting.push_back(item);
            }
        }
        self.fresh = 0;
        if items.is_empty() {
            return None;
        }
        self.commits += 1;
        self.held.extend(&held);
        self.running.insert(self.commits, Running { begun: now, held, movements: items.len() });
        Some(Batch { id: self.commits, items })
    }

    /// Whether a commit beside those that run is worth it.
    fn may_begin(&self, now: Instant) -> bool {
        let enough = BESIDE.max(self.running.values().map(|running| running.movements).sum::<usize>() / 4);
        match self.running.len() {
            0 => true,
            commits if commits < AT_ONCE && self.fresh >= enough => true,
            commits => commits < AT_MOST && self.running.values().all(|running| running.begun + SLOW <= now),
        }
    }

    /// After a commit: what is to be said to whom. The others wait again, longer by `noise` than they must, so that
    /// two processes do not try in step.
    pub(super) fn finish(&mut self, batch: Batch<T>, end: &End, noise: Duration, now: Instant) -> Vec<(T, Answer)> {
        if let Some(running) = self.running.remove(&batch.id) {
            self.held.retain(|subject| !running.held.contains(subject));
        }
        let (mut answers, mut again) = (Vec::new(), Vec::new());
        let is_alone = batch.items.len() == 1;
        let half = batch.items.len().div_ceil(2);
        for (place, item) in batch.items.into_iter().enumerate() {
            match end {
                End::Committed(outcomes) => match outcomes.get(place).copied().unwrap_or(Outcome::Busy) {
                    Outcome::Busy => again.push(item.later(0, noise, now)),
                    outcome => answers.push((item.task, Answer::Decided(outcome))),
                },
                End::Unknown => answers.push((item.task, Answer::Unknown)),
                End::Refused if is_alone => answers.push((item.task, Answer::Refused)),
                // One of them may be the cause: each half by itself.
                End::Refused => again.push(Item { cohort: self.cohorts + 1 + u64::from(place >= half), ..item }),
                End::Undone => again.push(item.later(self.cohorts + 1 + u64::from(place >= half), noise, now)),
            }
        }
        self.cohorts += 2;
        for item in again.into_iter().rev() {
            self.waiting.push_front(item);
        }
        self.fresh = self.waiting.len();
        answers
    }

    /// When to look again although nothing has happened.
    pub(super) fn wake(&self, now: Instant) -> Option<Instant> {
        let slow = self.running.values().map(|running| running.begun + SLOW).filter(|at| *at > now);
        let waiting = self.waiting.iter().map(|item| item.due.filter(|due| *due > now).unwrap_or(item.deadline));
        slow.chain(waiting).min()
    }
}

impl<T> Item<T> {
    fn later(self, cohort: u64, noise: Duration, now: Instant) -> Self {
        let pause = (BACKOFF.0 * 2_u32.pow(self.tries.min(8))).min(BACKOFF.1);
        Self { due: Some(now + pause + noise), tries: self.tries + 1, cohort, ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Answer, BATCH, BESIDE, Batch, End, Footprint, Item, PATIENCE, Queue, SLOW};
    use crate::posting::Outcome;

    fn on(accounts: &[u64]) -> Footprint {
        Footprint { alone: [None; 2], accounts: accounts.to_vec() }
    }

    fn tasks(batch: &Option<Batch<&'static str>>) -> Vec<&'static str> {
        batch.as_ref().map(|batch| batch.items.iter().map(|item: &Item<_>| item.task).collect()).unwrap_or_default()
    }

    fn applied(count: usize) -> End {
        End::Committed(vec![Outcome::Applied; count])
    }

    /// Two commits at once have no account in common, and nobody overtakes another who waits for the same account.
    #[test]
    fn commits_at_once_have_nothing_in_common() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        let later = now + SLOW;
        queue.push("a", on(&[1, 2]), now);
        let first = queue.take(now);
        assert_eq!(tasks(&first), ["a"]);
        // b is held by the first; d waits behind it for 3; e has nothing to do with either.
        queue.push("b", on(&[2, 3]), now);
        queue.push("d", on(&[4, 3]), now);
        queue.push("e", on(&[5]), now);
        assert!(queue.take(now).is_none(), "too few for a commit beside a quick one");
        assert_eq!(tasks(&queue.take(later)), ["e"]);
        assert!(queue.take(later).is_none());
        assert_eq!(queue.finish(first.unwrap(), &applied(1), Duration::ZERO, later).len(), 1);
        assert_eq!(tasks(&queue.take(later + SLOW)), ["b", "d"]);
    }

    /// What a commit looks at must not be changed by another movement of the same.
    #[test]
    fn what_is_looked_at_is_alone_in_its_commit() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        for task in ["a", "b", "c"] {
            queue.push(task, Footprint { alone: [Some(7), None], accounts: vec![1] }, now);
        }
        assert_eq!(tasks(&queue.take(now)), ["a"]);
        assert!(queue.take(now + SLOW).is_none());
    }

    #[test]
    fn a_commit_has_a_most() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        for account in 0..=BATCH as u64 {
            queue.push("one", on(&[account]), now);
        }
        assert_eq!(queue.take(now).unwrap().items.len(), BATCH);
        for account in 1..(BATCH / 4) as u64 {
            assert!(queue.take(now).is_none(), "beside so large a commit a small one waits");
            queue.push("more", on(&[1_000 + account]), now);
        }
        queue.push("enough", on(&[5_000]), now);
        assert!(queue.take(now).unwrap().items.len() >= BESIDE);
    }

    /// [A5] A movement whose account is locked by another process delays no other movement, and is tried until its
    /// deadline.
    #[test]
    fn a_busy_account_delays_only_its_own_movements() {
        let (mut now, mut queue) = (Instant::now(), Queue::default());
        let end = now + PATIENCE;
        queue.push("busy", on(&[1, 9]), now);
        let mut tries = 0;
        while now < end {
            if let Some(batch) = queue.take(now) {
                assert_eq!(batch.items[0].task, "busy");
                tries += 1;
                assert!(queue.finish(batch, &End::Committed(vec![Outcome::Busy]), Duration::ZERO, now).is_empty());
                // Another on an account that it shares goes at once.
                queue.push("free", on(&[9]), now);
                let free = queue.take(now);
                assert_eq!(tasks(&free), ["free"]);
                queue.finish(free.unwrap(), &applied(1), Duration::ZERO, now);
            }
            now = queue.wake(now).unwrap();
        }
        assert!((20..60).contains(&tries), "{tries}");
        assert_eq!(queue.expire(now), ["busy"]);
        assert!(queue.is_idle());
    }

    /// [A5] What the database refuses as a whole is halved until the one is found that it refuses.
    #[test]
    fn a_refused_commit_is_halved_until_the_cause_is_alone() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        for task in ["a", "b", "bad", "c", "d"] {
            queue.push(task, on(&[1]), now);
        }
        let (mut said, mut commits) = (Vec::new(), 0);
        while let Some(batch) = queue.take(now) {
            commits += 1;
            let is_bad = batch.items.iter().any(|item| item.task == "bad");
            let end = if is_bad { End::Refused } else { applied(batch.items.len()) };
            said.extend(queue.finish(batch, &end, Duration::ZERO, now));
        }
        let all = Answer::Decided(Outcome::Applied);
        assert_eq!(said, [("a", all), ("b", all), ("bad", Answer::Refused), ("c", all), ("d", all)]);
        assert!(commits <= 6, "{commits}");
    }

    /// [A1] A commit whose end is unknown is over for the queue: its accounts are free.
    #[test]
    fn a_lost_commit_releases_its_accounts() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        queue.push("lost", on(&[1]), now);
        let lost = queue.take(now).unwrap();
        queue.push("next", on(&[1]), now);
        assert!(queue.take(now + SLOW).is_none());
        assert_eq!(queue.finish(lost, &End::Unknown, Duration::ZERO, now), [("lost", Answer::Unknown)]);
        assert_eq!(tasks(&queue.take(now)), ["next"]);
    }
}
