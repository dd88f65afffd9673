//! Compares the answers that clients received with the rows in the databases.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::Result;
use sqlx::Connection;
use tokio::time::Instant;

use stack::{Service, servers::databases::Databases};

/// An operation whose effect is a row of its own.
struct Effect {
    what: &'static str,
    database: Service,
    /// The ids of everything that has had this effect.
    rows: &'static str,
}

const fn effect(what: &'static str, database: Service, rows: &'static str) -> Effect {
    Effect { what, database, rows }
}

const EFFECTS: [Effect; 10] = [
    effect(REGISTER, Service::Auth, "SELECT id::text FROM users WHERE role IS NULL"),
    effect("deposit", Service::Wallet, "SELECT id::text FROM transactions WHERE kind = 'deposit'"),
    effect(
        "approve a deposit",
        Service::Wallet,
        "SELECT id::text FROM transactions WHERE kind = 'deposit' AND status = 'success'",
    ),
    effect("withdraw", Service::Wallet, "SELECT id::text FROM transactions WHERE kind = 'withdrawal'"),
    effect(
        "approve a withdrawal",
        Service::Wallet,
        "SELECT id::text FROM transactions WHERE kind = 'withdrawal' AND approved_by IS NOT NULL",
    ),
    effect(
        "pay a withdrawal",
        Service::Wallet,
        "SELECT id::text FROM transactions WHERE kind = 'withdrawal' AND status = 'success'",
    ),
    effect("buy the course", Service::Wallet, "SELECT id::text FROM transactions WHERE kind = 'course'"),
    effect("open a trade", Service::Trade, "SELECT id::text FROM trades WHERE status <> 'failed'"),
    effect("claim a trade", Service::Trade, "SELECT id::text FROM trades WHERE status = 'claimed'"),
    effect("close a trade", Service::Trade, "SELECT id::text FROM trades WHERE status = 'closed'"),
];

pub const REGISTER: &str = "register";
/// A login has no key: each one that is sent may have made a session.
pub const LOGIN: &str = "log in";
const SESSIONS: &str = "SELECT id::text FROM sessions";

/// The ids of everything that has had an effect, by operation.
#[derive(Debug)]
pub struct Rows(BTreeMap<&'static str, BTreeSet<String>>);

impl Rows {
    /// Reads all of them.
    ///
    /// # Errors
    /// When a database cannot be read.
    pub async fn read(databases: &Databases) -> Result<Self> {
        let mut all = BTreeMap::new();
        let logins = effect(LOGIN, Service::Auth, SESSIONS);
        for Effect { what, database, rows } in EFFECTS.iter().chain([&logins]) {
            let mut connection = audit::connect(&databases.owner_url(*database)?).await?;
            let ids: Vec<String> = sqlx::query_scalar(*rows).fetch_all(&mut connection).await?;
            all.insert(*what, ids.into_iter().collect());
            connection.close().await?;
        }
        Ok(Self(all))
    }

    fn added<'a>(&'a self, before: &Self, what: &str) -> BTreeSet<&'a str> {
        let then = before.0.get(what);
        let is_new = |id: &&String| then.is_none_or(|then| !then.contains(*id));
        self.0.get(what).into_iter().flatten().filter(is_new).map(String::as_str).collect()
    }
}

/// An operation that was acknowledged in the end.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    pub what: &'static str,
    /// What it made or changed; none for a login.
    pub id: Option<String>,
    /// When it was sent first.
    pub sent: Instant,
    pub at: Instant,
    /// Whether an earlier try had no final answer.
    pub was_unanswered: bool,
    /// Whether the replay showed that such a try had succeeded.
    pub was_done: bool,
}

/// All answers that clients received during a trial.
#[derive(Clone, Debug, Default)]
pub struct History(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    acknowledged: Vec<Acknowledged>,
    /// Final refusals by operation and error code.
    refused: BTreeMap<String, u32>,
    /// Operations that had no final answer until their client gave up.
    given_up: Vec<String>,
    /// Logins without an answer.
    open_logins: usize,
    /// When plans were read.
    reads: Vec<Instant>,
}

/// The result of a trial.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The longest time without an acknowledged change.
    pub write_gap: Duration,
    /// The longest time without an answer with the plans, which the gateway caches.
    pub read_gap: Duration,
    /// What 99 of 100 acknowledged changes took at most, retries included.
    pub p99: Duration,
    pub acknowledged: usize,
    /// Changes with a try that had no answer, and of these the ones that such a try had done.
    pub unanswered: (usize, usize),
    pub lost: Vec<String>,
    pub duplicated: Vec<String>,
    pub given_up: Vec<String>,
    pub refused: BTreeMap<String, u32>,
}

// === impl History ===

impl History {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn acknowledge(&self, one: Acknowledged) {
        self.told().acknowledged.push(one);
    }

    pub fn refuse(&self, what: &str, code: &str) {
        *self.told().refused.entry(format!("{what}: {code}")).or_default() += 1;
    }

    pub fn give_up(&self, what: &str) {
        self.told().given_up.push(what.to_owned());
    }

    pub fn leave_login_open(&self) {
        self.told().open_logins += 1;
    }

    pub fn read(&self) {
        self.told().reads.push(Instant::now());
    }

    /// Compares the answers with the stored rows, and measures the time from the fault to the end of its repair.
    #[must_use]
    pub fn figures(&self, before: &Rows, after: &Rows, from: Instant, to: Instant) -> Figures {
        let told = self.told();
        let (mut lost, mut duplicated) = (Vec::new(), Vec::new());
        for Effect { what, .. } in &EFFECTS {
            let there = after.added(before, what);
            let mut seen = BTreeSet::new();
            for one in told.acknowledged.iter().filter(|one| one.what == *what) {
                let id = one.id.as_deref().unwrap_or_default();
                if !there.contains(id) {
                    lost.push(format!("{what} {id}"));
                }
                // Two operations, one effect: one of them did nothing.
                if !seen.insert(id) {
                    lost.push(format!("{what} {id}, acknowledged twice"));
                }
            }
            duplicated.extend(there.difference(&seen).map(|id| format!("{what} {id}")));
        }
        // A registration makes a session, too.
        let logins = told.acknowledged.iter().filter(|one| [LOGIN, REGISTER].contains(&one.what)).count();
        let sessions = after.added(before, LOGIN).len();
        lost.extend((sessions..logins).map(|_| LOGIN.to_owned()));
        duplicated.extend((logins + told.open_logins..sessions).map(|_| LOGIN.to_owned()));
        let acknowledged = || told.acknowledged.iter().filter(|one| one.at >= from && one.sent <= to);
        let mut took: Vec<_> = acknowledged().map(|one| one.at - one.sent).collect();
        took.sort_unstable();
        let p99 = took.get((took.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default();
        let unanswered = || told.acknowledged.iter().filter(|one| one.was_unanswered);
        Figures {
            write_gap: gap(told.acknowledged.iter().map(|one| one.at), from, to),
            read_gap: gap(told.reads.iter().copied(), from, to),
            p99,
            acknowledged: told.acknowledged.len(),
            unanswered: (unanswered().count(), unanswered().filter(|one| one.was_done).count()),
            lost,
            duplicated,
            given_up: told.given_up.clone(),
            refused: told.refused.clone(),
        }
    }
}

/// The longest time between two moments from one instant to another.
fn gap(moments: impl Iterator<Item = Instant>, from: Instant, to: Instant) -> Duration {
    let mut moments: Vec<_> = moments.filter(|at| (from..=to).contains(at)).chain([from, to]).collect();
    moments.sort_unstable();
    moments.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[&str]) -> Rows {
        let ids: BTreeSet<_> = ids.iter().map(|id| (*id).to_owned()).collect();
        Rows(EFFECTS.iter().filter(|one| one.what == "deposit").map(|one| (one.what, ids.clone())).collect())
    }

    fn told(ids: &[&str], begun: Instant) -> History {
        let history = History::default();
        for (second, id) in (1..).zip(ids) {
            history.acknowledge(Acknowledged {
                what: "deposit",
                id: Some((*id).to_owned()),
                sent: begun + Duration::from_millis(second * 1_000 - 100),
                at: begun + Duration::from_secs(second),
                was_unanswered: false,
                was_done: false,
            });
        }
        history
    }

    /// [D-H1] A row that is missing and one that nobody asked for are found.
    #[test]
    fn what_is_lost_or_duplicated_is_named() {
        let begun = Instant::now();
        let (before, to) = (rows(&["old"]), begun + Duration::from_secs(10));
        let clean = told(&["a", "b"], begun).figures(&before, &rows(&["old", "a", "b"]), begun, to);
        assert_eq!((clean.lost, clean.duplicated), (vec![], vec![]));
        let broken = told(&["a", "b"], begun).figures(&before, &rows(&["old", "a", "c"]), begun, to);
        assert_eq!(broken.lost, ["deposit b"]);
        assert_eq!(broken.duplicated, ["deposit c"]);
        let twice = told(&["a", "a"], begun).figures(&before, &rows(&["old", "a"]), begun, to);
        assert_eq!(twice.lost, ["deposit a, acknowledged twice"]);
    }

    #[test]
    fn a_gap_reaches_to_the_end_of_the_trial() {
        let begun = Instant::now();
        let to = begun + Duration::from_secs(10);
        let figures = told(&["a", "b"], begun).figures(&rows(&[]), &rows(&["a", "b"]), begun, to);
        assert_eq!(figures.write_gap, Duration::from_secs(8));
        assert_eq!(figures.p99, Duration::from_millis(100));
    }
}
