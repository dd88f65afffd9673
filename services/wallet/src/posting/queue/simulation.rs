//! A million steps of the queue against a database that is slow, fails, hangs, and loses answers, while other processes
//! lock accounts and the clock jumps. Every run is the same for one seed; `SIMULATION_SEED`, set while it is compiled, chooses it.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::{Answer, BATCH, Batch, End, Footprint, PATIENCE, Queue, SLOW};
use crate::posting::Outcome;

const STEPS: usize = 1_000_000;
const ACCOUNTS: u64 = 150;
/// As the writer gives a commit.
const DEADLINE: Duration = Duration::from_millis(2_500);

/// A commit in the database.
struct Commit {
    batch: Batch<u64>,
    /// When its answer comes, and what that is.
    at: Instant,
    end: End,
    /// What it really did.
    applied: Vec<u64>,
}

struct World {
    seed: u64,
    step: usize,
    numbers: u64,
    now: Instant,
    queue: Queue<u64>,
    commits: Vec<Commit>,
    /// What the movements of those commits hold.
    held: HashSet<u64>,
    /// Movements that are in the queue or in a commit: when they came, and on which accounts.
    open: HashMap<u64, (Instant, Vec<u64>)>,
    /// Movements that the database refuses, and with it their whole commit.
    poison: HashSet<u64>,
    applied: HashSet<u64>,
    /// Accounts that other processes hold, and until when.
    locked: HashMap<u64, Instant>,
    /// The newest movement that was committed on an account, and was never put back.
    newest: HashMap<u64, u64>,
    put_back: HashSet<u64>,
    count: u64,
    said: [usize; 4],
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            step: 0,
            numbers: seed | 1,
            now: Instant::now(),
            queue: Queue::default(),
            commits: Vec::new(),
            held: HashSet::new(),
            open: HashMap::new(),
            poison: HashSet::new(),
            applied: HashSet::new(),
            locked: HashMap::new(),
            newest: HashMap::new(),
            put_back: HashSet::new(),
            count: 0,
            said: [0; 4],
        }
    }

    fn fail(&self, what: &str) -> ! {
        panic!("{what}; SIMULATION_SEED={} step {}", self.seed, self.step);
    }

    /// Looks random, and is the same in every run of a seed.
    fn below(&mut self, limit: u64) -> u64 {
        self.numbers ^= self.numbers << 13;
        self.numbers ^= self.numbers >> 7;
        self.numbers ^= self.numbers << 17;
        self.numbers % limit
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    fn step(&mut self) {
        match self.below(10) {
            0..3 => self.arrive(),
            3..9 => self.pass(),
            _ => self.lock(),
        }
        let now = self.now;
        for late in self.queue.expire(now) {
            self.answer(late, Answer::Unknown, 3);
        }
        while let Some(batch) = self.queue.take(now) {
            self.begin(batch);
        }
        if self.queue.waiting.len() > super::WAITING {
            self.fail("the queue has no bound");
        }
    }

    fn arrive(&mut self) {
        if self.queue.is_full() {
            return;
        }
        self.count += 1;
        let id = self.count;
        let mut accounts: Vec<u64> = (0..1 + self.below(3)).map(|_| self.below(ACCOUNTS)).collect();
        accounts.sort_unstable();
        accounts.dedup();
        let alone = [self.chance(3).then(|| 1_000 + accounts[0]), None];
        if self.chance(300) {
            self.poison.insert(id);
        }
        self.open.insert(id, (self.now, accounts.clone()));
        self.queue.push(id, Footprint { alone, accounts }, self.now);
    }

    /// Time passes, now and then a lot of it at once, until the next commit ends or the queue wants to look.
    fn pass(&mut self) {
        let next = self.commits.iter().map(|commit| commit.at).chain(self.queue.wake(self.now)).min();
        let jump = if self.chance(20_000) { Duration::from_secs(3_600) } else { Duration::from_micros(200) };
        let step = next.map_or(Duration::ZERO, |at| at.saturating_duration_since(self.now));
        self.now += if jump.as_secs() > 0 { jump } else { step.min(Duration::from_millis(20)).max(jump) };
        let now = self.now;
        self.locked.retain(|_, until| *until > now);
        while let Some(place) = self.commits.iter().position(|commit| commit.at <= now) {
            let commit = self.commits.swap_remove(place);
            self.end(commit);
        }
    }

    fn lock(&mut self) {
        if self.chance(20) {
            let (account, millis) = (self.below(ACCOUNTS), 1 + self.below(3_000));
            self.locked.insert(account, self.now + Duration::from_millis(millis));
        }
    }

    /// What the database will make of a commit.
    fn begin(&mut self, batch: Batch<u64>) {
        if batch.items.is_empty() || batch.items.len() > BATCH {
            self.fail("a commit of no size");
        }
        let mut alone = HashSet::new();
        for item in &batch.items {
            if item.footprint.alone.iter().flatten().any(|one| !alone.insert(*one)) {
                self.fail("two movements of one commit share what must be alone");
            }
            if item.footprint.subjects().any(|one| self.held.contains(one)) {
                self.fail("two commits of one process share an account");
            }
        }
        self.held.extend(batch.items.iter().flat_map(|item| item.footprint.subjects()));
        let mut took = Duration::from_micros(500 + self.below(7_500));
        if self.chance(50) {
            took += Duration::from_millis(50 + self.below(950));
        }
        let (end, applied) = if batch.items.iter().any(|item| self.poison.contains(&item.task)) {
            (End::Refused, Vec::new())
        } else if self.chance(60) {
            (End::Undone, Vec::new())
        } else {
            let outcomes: Vec<Outcome> = batch.items.iter().map(|item| self.decide(&item.footprint.accounts)).collect();
            let applied = batch.items.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Outcome::Applied);
            let applied: Vec<u64> = applied.map(|(item, _)| item.task).collect();
            match self.below(400) {
                // The answer is lost, before or after the database did it; or never comes.
                0 => (End::Unknown, Vec::new()),
                1 => (End::Unknown, applied),
                2 => {
                    took = DEADLINE;
                    (End::Unknown, applied)
                }
                _ => (End::Committed(outcomes), applied),
            }
        };
        self.commits.push(Commit { batch, at: self.now + took, end, applied });
    }

    fn decide(&mut self, accounts: &[u64]) -> Outcome {
        if accounts.iter().any(|account| self.locked.contains_key(account)) {
            Outcome::Busy
        } else if self.chance(10) {
            Outcome::InsufficientFunds
        } else {
            Outcome::Applied
        }
    }

    fn end(&mut self, commit: Commit) {
        for subject in commit.batch.items.iter().flat_map(|item| item.footprint.subjects()) {
            self.held.remove(subject);
        }
        for id in &commit.applied {
            if !self.applied.insert(*id) {
                self.fail("applied twice");
            }
            for account in self.open.get(id).map(|(_, accounts)| accounts.clone()).unwrap_or_default() {
                let newest = self.newest.insert(account, *id).unwrap_or_default();
                if newest > *id && !self.put_back.contains(id) {
                    self.fail("overtaken on its account");
                }
            }
        }
        let items: Vec<u64> = commit.batch.items.iter().map(|item| item.task).collect();
        let noise = Duration::from_micros(self.below(4_000));
        let said = self.queue.finish(commit.batch, &commit.end, noise, self.now);
        let mut answered = HashSet::new();
        for (id, answer) in said {
            answered.insert(id);
            match answer {
                Answer::Decided(Outcome::Applied) if !self.applied.contains(&id) => {
                    self.fail("acknowledged, not applied")
                }
                Answer::Decided(Outcome::Busy) => self.fail("busy is no answer"),
                Answer::Decided(Outcome::Applied) => self.answer(id, answer, 0),
                Answer::Decided(_) if self.applied.contains(&id) => self.fail("refused and applied"),
                Answer::Refused if !self.poison.contains(&id) => self.fail("a neighbour is refused"),
                Answer::Decided(_) => self.answer(id, answer, 1),
                Answer::Refused => self.answer(id, answer, 2),
                Answer::Unknown => self.answer(id, answer, 3),
            }
        }
        self.put_back.extend(items.into_iter().filter(|id| !answered.contains(id)));
    }

    fn answer(&mut self, id: u64, answer: Answer, said: usize) {
        let Some((arrived, _)) = self.open.remove(&id) else { self.fail("answered twice") };
        // A jump of the clock, or a commit that hangs, is late by itself; nothing may be later.
        let waited = self.now - arrived;
        if waited > PATIENCE + DEADLINE + SLOW && waited < Duration::from_secs(3_000) {
            self.fail(&format!("{answer:?} after {waited:?}"));
        }
        self.said[said] += 1;
    }
}

/// [A1] [A5] [L7] [Q1] Every movement is answered once and in time, applied at most once and never against its answer;
/// nobody overtakes another on an account, no two commits at once share one, and a bad movement harms no neighbour.
#[test]
fn a_million_steps_keep_every_promise() {
    let seed = option_env!("SIMULATION_SEED").and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(rand::random);
    let mut world = World::new(seed);
    for step in 0..STEPS {
        world.step = step;
        world.step();
    }
    // Then nothing more comes.
    while !world.queue.is_idle() {
        world.now += Duration::from_millis(1);
        world.pass();
        let now = world.now;
        for late in world.queue.expire(now) {
            world.answer(late, Answer::Unknown, 3);
        }
        while let Some(batch) = world.queue.take(now) {
            world.begin(batch);
        }
    }
    if !world.open.is_empty() {
        world.fail("some were never answered");
    }
    // All that can happen did.
    assert!(world.said.iter().all(|count| *count > 50), "{:?} SIMULATION_SEED={seed}", world.said);
}
