//! Ordinary members at work during an attack: each signs in, reads the dashboard, deposits, trades and withdraws, from an
//! address of its own, over and over.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use play::client::{Client, Observation};
use play::testing::{Member, PASSWORD, TestStack};
use play::traffic::{self, Counts};

/// The pause between two steps of a member.
const PAUSE: Duration = Duration::from_millis(150);
/// The pages that a member opens first, by what they read.
const DASHBOARD: [&str; 6] =
    ["/auth/check", "/wallet", "/transactions/user", "/trades?status=all", "/plans", "/payment-methods"];

/// Members at work in a thread of their own, so that what they see does not depend on the attackers' program.
pub struct Members {
    seen: Arc<Mutex<Vec<Observation>>>,
    rounds: Arc<AtomicU64>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<Result<()>>,
}

/// What members saw since they were last asked.
pub struct Figures {
    pub requests: usize,
    pub failed: usize,
    /// The first failure.
    pub failure: Option<String>,
    /// Microseconds that half of the requests took at most. Signing in is not counted: hashing a password takes its time.
    pub p50: u64,
    /// Microseconds that 99 of 100 requests took at most.
    pub p99: u64,
}

/// What every member needs, beside an account.
#[derive(Clone)]
struct World {
    method: String,
    plan: String,
    reviewer: String,
    rounds: Arc<AtomicU64>,
}

/// The source address of a client: the second part says whose it is, attackers of case N have 100 + N.
pub fn address(whose: u8, number: usize) -> Ipv4Addr {
    let [.., high, low] = number.to_be_bytes();
    Ipv4Addr::new(127, whose, high, low.saturating_add(1))
}

impl Members {
    /// Registers members and sets them to work.
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn start(stack: &TestStack, count: usize) -> Result<Self> {
        let (sender, mut observations) = mpsc::unbounded_channel();
        let mut members = Vec::new();
        for number in 0..count {
            let client = Client::new(stack.url()).moved_to(address(1, number))?;
            members.push((stack.member_through(&client).await?, client.observed_by(&sender)));
        }
        let (first, _) = members.first().context("there are members")?;
        let world = World::new(&first.client, &stack.staff("reviewer").await?).await?;
        let (stop, stopped) = watch::channel(false);
        let work = |(member, client): (Member, Client)| work(client, member.email, world.clone(), stopped.clone());
        let tasks: Vec<_> = members.into_iter().map(work).collect();
        let seen: Arc<Mutex<Vec<Observation>>> = Arc::default();
        let kept = Arc::clone(&seen);
        let thread = std::thread::Builder::new().name("members".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut members = JoinSet::new();
                for task in tasks {
                    members.spawn(task);
                }
                let keeping = async {
                    while let Some(observation) = observations.recv().await {
                        kept.lock().unwrap_or_else(PoisonError::into_inner).push(observation);
                    }
                };
                let working = async { while members.join_next().await.is_some() {} };
                tokio::select! { () = keeping => {}, () = working => {} }
            });
            Ok(())
        })?;
        Ok(Self { seen, rounds: world.rounds, stop, thread })
    }

    /// What they saw since the last call.
    pub fn figures(&self) -> Figures {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        Figures::of(&seen)
    }

    /// Lets them finish their requests, and returns how many rounds they did.
    ///
    /// # Errors
    /// When their thread ended by a panic.
    pub async fn end(self) -> Result<u64> {
        self.stop.send_replace(true);
        let ended = tokio::task::spawn_blocking(move || self.thread.join()).await?;
        ended.map_err(|_| anyhow!("a member panicked"))??;
        Ok(self.rounds.load(Ordering::Relaxed))
    }
}

impl World {
    async fn new(member: &Client, reviewer: &Client) -> Result<Self> {
        Ok(Self {
            method: member.platform_method("TRC20").await?,
            plan: member.plan("Starter").await?,
            reviewer: reviewer.token().context("a session")?.to_owned(),
            rounds: Arc::default(),
        })
    }
}

impl Figures {
    fn of(seen: &[Observation]) -> Self {
        let failures: Vec<_> = seen.iter().filter_map(|one| Some((&one.request, one.failure.as_ref()?))).collect();
        let measured = seen.iter().filter(|one| !one.request.ends_with("/auth/login"));
        let mut micros: Vec<_> = measured.map(|one| u64::try_from(one.took.as_micros()).unwrap_or(u64::MAX)).collect();
        micros.sort_unstable();
        let of_hundred = |share: usize| micros.get((micros.len() * share).div_ceil(100).saturating_sub(1)).copied();
        Self {
            requests: seen.len(),
            failed: failures.len(),
            failure: failures.first().map(|(request, failure)| format!("{request}: {failure}")),
            p50: of_hundred(50).unwrap_or_default(),
            p99: of_hundred(99).unwrap_or_default(),
        }
    }
}

/// Repeats rounds until stopped. A failure was observed by then, and the next round begins after a pause.
async fn work(visitor: Client, email: String, world: World, mut stopped: watch::Receiver<bool>) {
    let rounds = async {
        loop {
            if round(&visitor, &email, &world).await.is_ok() {
                world.rounds.fetch_add(1, Ordering::Relaxed);
            } else {
                sleep(PAUSE * 4).await;
            }
        }
    };
    tokio::select! {
        () = rounds => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

async fn round(visitor: &Client, email: &str, world: &World) -> Result<()> {
    let member = visitor.login(email, PASSWORD).await?;
    let reviewer = visitor.with_token(&world.reviewer);
    let counts = Counts::default();
    for path in DASHBOARD {
        member.get(path).await?.success()?;
    }
    sleep(PAUSE).await;
    traffic::deposit(&member, &reviewer, &world.method, &counts).await?;
    sleep(PAUSE).await;
    traffic::trade(&member, &world.plan, &counts).await?;
    sleep(PAUSE).await;
    traffic::withdraw(&member, &reviewer, &world.method, &counts).await?;
    sleep(PAUSE).await;
    member.post("/auth/logout", serde_json::json!({})).await?.success()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One slow request of a hundred is the 99th percentile's successor; a failure is counted and reported.
    #[test]
    fn figures_are_those_of_what_was_seen() {
        let one = |micros, failure: Option<&str>| Observation {
            request: "GET /wallet".to_owned(),
            took: Duration::from_micros(micros),
            failure: failure.map(str::to_owned),
        };
        let mut seen: Vec<_> = (1..=99).map(|micros| one(micros, None)).collect();
        seen.push(one(5_000, Some("503")));
        let figures = Figures::of(&seen);
        assert_eq!((figures.requests, figures.failed, figures.p50, figures.p99), (100, 1, 50, 99));
        assert_eq!(figures.failure.as_deref(), Some("GET /wallet: 503"));
        let nothing = Figures::of(&[]);
        assert_eq!((nothing.requests, nothing.p99, nothing.failure), (0, 0, None));
    }

    #[test]
    fn every_client_has_an_address_of_its_own() {
        assert_eq!(address(1, 0), Ipv4Addr::new(127, 1, 0, 1));
        assert_eq!(address(101, 513), Ipv4Addr::new(127, 101, 2, 2));
    }
}
