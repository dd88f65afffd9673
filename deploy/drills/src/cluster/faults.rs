//! The faults of a cluster: their injection, the check that they took effect, and their repair.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tokio::time::{Instant, sleep};

use super::{
    database::{self, Roles},
    engines::Cluster,
    machines::Server,
};
use play::testing::TestStack;
use stack::{Replica, Service, host::clock::Clock};

/// How long a fault lasts, unless it has to last longer to take effect.
const DURATION: Duration = Duration::from_secs(12);
/// How long a machine is frozen: longer than every lease and timeout between servers.
const FREEZE: Duration = Duration::from_secs(18);
/// How long another machine may take to be promoted.
const PROMOTION: Duration = Duration::from_secs(60);

/// What happens to a machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Blow {
    /// SIGKILL to everything on it.
    Kill,
    /// SIGSTOP to everything on it, SIGCONT later.
    Freeze,
    /// All its packets are dropped.
    Cut,
}

/// The affected machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// The one whose PostgreSQL writes, with etcd's leader on it: thawed after a promotion, Debian's etcd lets go of a
    /// lease that is not its own any more.
    Leaders,
    /// The one whose PostgreSQL writes, with etcd's leader on another.
    Leader,
    /// The one that has to confirm every commit.
    Synchronous,
    /// The last one.
    Other,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// Nothing, for comparison.
    Quiet,
    Machine(Blow, Role),
    /// The disk of the machine whose PostgreSQL writes is full.
    FullDisk,
    /// Every process of the product is replaced, one after another.
    RollingRestart,
    /// The clock of one process of a service is 90 seconds behind.
    ClockBehind(Service),
}

/// The observed effect of a fault.
#[derive(Debug)]
pub struct Inflicted {
    /// When it began.
    pub at: Instant,
    /// The evidence that it took effect.
    pub evidence: String,
}

use Blow::{Cut, Freeze, Kill};
use Fault::{ClockBehind, FullDisk, Machine, Quiet, RollingRestart};
use Role::{Leader, Leaders, Other, Synchronous};

/// All of them.
pub const ALL: [Fault; 17] = [
    Quiet,
    Machine(Kill, Leaders),
    Machine(Kill, Leader),
    Machine(Kill, Synchronous),
    Machine(Kill, Other),
    Machine(Freeze, Leaders),
    Machine(Freeze, Leader),
    Machine(Freeze, Synchronous),
    Machine(Freeze, Other),
    Machine(Cut, Leaders),
    Machine(Cut, Leader),
    Machine(Cut, Synchronous),
    Machine(Cut, Other),
    FullDisk,
    RollingRestart,
    ClockBehind(Service::Wallet),
    ClockBehind(Service::Auth),
];

/// Those of the quick form.
pub const QUICK: [Fault; 3] = [Machine(Kill, Leaders), Machine(Freeze, Leaders), Machine(Cut, Leaders)];

// === impl Fault ===

impl Fault {
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Quiet => "none".to_owned(),
            Machine(blow, role) => {
                let blow = match blow {
                    Kill => "kill",
                    Freeze => "freeze",
                    Cut => "cut",
                };
                let role = match role {
                    Leaders => "leader, etcd's too",
                    Leader => "leader",
                    Synchronous => "synchronous",
                    Other => "third",
                };
                format!("{blow} {role}")
            }
            FullDisk => "disk full, leader".to_owned(),
            RollingRestart => "rolling restart".to_owned(),
            ClockBehind(service) => format!("{} 90 s behind", service.name()),
        }
    }

    /// The longest time that writers may wait. [D-H1]
    #[must_use]
    pub const fn gap_limit(self) -> Duration {
        match self {
            Machine(Freeze, _) => Duration::from_secs(30),
            Quiet | RollingRestart | ClockBehind(_) => Duration::from_secs(5),
            Machine(..) | FullDisk => Duration::from_secs(20),
        }
    }

    /// Injects it into a healthy cluster, waits for its effect, and repairs it.
    ///
    /// # Errors
    /// When it had no effect, or cannot be put right: the trial is void.
    pub async fn inflict(self, cluster: &mut Cluster, stack: &mut TestStack, roles: &Roles) -> Result<Inflicted> {
        match self {
            Quiet => {
                let at = Instant::now();
                sleep(DURATION).await;
                Ok(Inflicted { at, evidence: "nothing happened".to_owned() })
            }
            Machine(blow, role) => strike(blow, role, cluster, roles).await,
            FullDisk => fill(cluster, roles).await,
            RollingRestart => replace_all(stack).await,
            ClockBehind(service) => set_back(service, stack).await,
        }
    }
}

async fn strike(blow: Blow, role: Role, cluster: &mut Cluster, roles: &Roles) -> Result<Inflicted> {
    let Roles { leader, synchronous } = *roles;
    let other = 6 - leader - synchronous;
    let (victim, etcd) = match role {
        Leaders => (leader, leader),
        Leader => (leader, synchronous),
        Synchronous => (synchronous, leader),
        Other => (other, leader),
    };
    database::move_etcd_leader(&cluster.http, etcd).await.context("etcd's leader is not where it has to be")?;
    let (at, lasts) = (Instant::now(), if blow == Freeze { FREEZE } else { DURATION });
    match blow {
        Kill => cluster.machine(victim)?.kill().await?,
        Freeze => cluster.machine(victim)?.freeze().await?,
        Cut => cluster.machine(victim)?.cut()?,
    }
    let promoted = if victim == leader { Some(cluster.promotion(victim, PROMOTION).await?) } else { None };
    let promoted_after = at.elapsed();
    sleep(lasts.saturating_sub(promoted_after).max(Duration::from_secs(4))).await;
    ensure!(!cluster.answers(victim).await, "n{victim} still answers");
    let machine = cluster.machine(victim)?;
    match blow {
        Kill => ensure!(machine.processes.is_empty(), "n{victim} still has processes"),
        Freeze => ensure!(machine.is_frozen()?, "n{victim} has running processes"),
        Cut => {}
    }
    if promoted.is_none() {
        let now = database::leader_beside(&cluster.http, Some(victim)).await?;
        ensure!(now == leader, "n{now} leads now, though n{victim} was hit and n{leader} led");
    }
    let evidence = match promoted {
        Some(new) => format!("n{victim} lost, n{new} promoted after {:.1} s", promoted_after.as_secs_f64()),
        None => format!("n{victim} lost, n{leader} leads on"),
    };
    match blow {
        Kill => drop(cluster.boot(victim)?),
        Freeze => cluster.machine(victim)?.thaw()?,
        Cut => cluster.machine(victim)?.mend()?,
    }
    Ok(Inflicted { at, evidence })
}

/// Fills the disk of the leader, and starts again what ended for it.
async fn fill(cluster: &mut Cluster, roles: &Roles) -> Result<Inflicted> {
    let (victim, at) = (roles.leader, Instant::now());
    cluster.machine(victim)?.fill()?;
    sleep(DURATION).await;
    ensure!(cluster.machine(victim)?.is_full(), "the disk of n{victim} has room");
    let now =
        database::leader_beside(&cluster.http, None).await.map_or_else(|_| "none".to_owned(), |now| format!("n{now}"));
    cluster.machine(victim)?.empty()?;
    // Its replicas of queues ended for want of room, and RabbitMQ 3.10 starts them again only with the node.
    cluster.machine(victim)?.processes.remove(&Server::RabbitMq);
    let ended: Vec<_> = cluster.boot(victim)?.into_iter().map(Server::name).collect();
    let ended = if ended.is_empty() { "nothing".to_owned() } else { ended.join(", ") };
    Ok(Inflicted { at, evidence: format!("n{victim} full: {ended} ended, leader then: {now}") })
}

async fn replace_all(stack: &mut TestStack) -> Result<Inflicted> {
    let at = Instant::now();
    let replicas: Vec<_> = stack.replicas().collect();
    for replica in &replicas {
        stack.terminate(*replica).await?;
        stack.restart(*replica).await?;
        // Until the load balancer passes connections to it again.
        sleep(Duration::from_millis(500)).await;
    }
    Ok(Inflicted { at, evidence: format!("{} processes replaced", replicas.len()) })
}

/// Starts one of a service's two processes with a clock that is behind, and later with the right one again.
async fn set_back(service: Service, stack: &mut TestStack) -> Result<Inflicted> {
    const BEHIND: u64 = 90;
    let replica = Replica(service, 1);
    stack.terminate(replica).await?;
    let at = Instant::now();
    stack.restart_by(replica, Some(Clock::behind(BEHIND)?.into())).await?;
    sleep(DURATION).await;
    let log = std::fs::read_to_string(stack.folder().join(format!("logs/{}.log", replica.name())))?;
    let newest = log.lines().rev().find_map(time_of).context("a line with a time")?;
    let behind = time::OffsetDateTime::now_utc() - newest;
    if behind.whole_seconds().unsigned_abs() < BEHIND {
        bail!("{} logs the time of {behind} ago", replica.name());
    }
    stack.terminate(replica).await?;
    stack.restart_by(replica, None).await?;
    Ok(Inflicted { at, evidence: format!("{} logs {} s behind", replica.name(), behind.whole_seconds()) })
}

/// The time at the beginning of a line of a log.
fn time_of(line: &str) -> Option<time::OffsetDateTime> {
    let word = line.split_whitespace().next()?;
    time::OffsetDateTime::parse(word, &time::format_description::well_known::Rfc3339).ok()
}
