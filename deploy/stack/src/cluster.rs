//! A cluster on this machine: three machines with PostgreSQL, etcd and RabbitMQ each, two processes of every service, and
//! faults under load. [D-H1] [D-H2] [D-H3]
//!
//! Machines are network namespaces; nothing leaves them.

mod broker;

mod database;

mod faults;

mod history;

mod journeys;

mod machines;

mod proxy;

mod table;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use self::{
    database::{Passwords, Roles},
    faults::Fault,
    history::{History, Rows},
    journeys::World,
    machines::{Machine, NUMBERS, Server, Switch},
    proxy::Proxy,
    table::Row,
};
use crate::{
    network,
    process::Process,
    rabbitmq::BrokerUser,
    servers::{BrokerServer, DatabaseServer},
    testing::{self, Options, TestStack},
};

/// How long the servers of three machines may take to start, or to be well again.
const LIMIT: Duration = Duration::from_secs(180);
/// How long the load goes on before a fault, and after its healing.
const AROUND: Duration = Duration::from_secs(3);

/// Which faults to try.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Three faults instead of all.
    pub is_quick: bool,
    /// Only the faults with this in their name.
    pub only: Option<String>,
}

/// The running servers of three machines.
#[derive(Debug)]
pub struct Cluster {
    // Dropped in this order: the proxy, the machines, their switch, the folder.
    proxy: Proxy,
    machines: Vec<Machine>,
    _switch: Switch,
    http: reqwest::Client,
    passwords: Passwords,
    cookie: String,
    administrator: BrokerUser,
    logs: PathBuf,
    _folder: TempDir,
}

/// Whether this machine can have a cluster.
///
/// # Errors
/// With what is missing.
pub fn check() -> Result<()> {
    network::check()?;
    for (program, option) in [("patroni", "--help"), ("etcd", "--version"), (proxy::PROGRAM, "-v"), ("nft", "-v")] {
        network::run(program, &[option]).context("run `deploy/setup.sh cluster`")?;
    }
    Ok(())
}

/// Tries the faults one after another against a product of its own, and prints a table.
///
/// Returns whether nothing that was acknowledged was lost or duplicated, writers went on in time, and the audit found
/// nothing.
///
/// # Errors
/// When the cluster does not start, a machine is not well before a fault, or a fault has no effect.
pub async fn run(settings: &Settings, say: fn(&str)) -> Result<bool> {
    let begun = Instant::now();
    say("starting three machines");
    let mut cluster = Cluster::start().await?;
    say(&format!("the servers are well after {} s; starting the product", begun.elapsed().as_secs()));
    let (databases, broker) = cluster.servers();
    let options = Options { plans: true, two_of_each: true, ..Options::default() };
    let mut stack = TestStack::on(databases, broker, options).await?;
    let world = Arc::new(World::new(&stack, if settings.is_quick { 1 } else { 2 }).await?);
    say(&format!("members are at work after {} s", begun.elapsed().as_secs()));
    let faults: &[Fault] = if settings.is_quick { &faults::QUICK } else { &faults::ALL };
    let selected = |fault: &&Fault| settings.only.as_ref().is_none_or(|part| fault.name().contains(part.as_str()));
    let (mut tried, mut stands) = (0, true);
    say(&format!("\n{}", table::HEAD));
    for fault in faults.iter().filter(selected) {
        let row = trial(*fault, &mut cluster, &mut stack, &world)
            .await
            .with_context(|| format!("the trial \"{}\" is void; logs are in {}", fault.name(), cluster.keep_logs()))?;
        say(&format!("{}\n  {}", row.line(), row.evidence));
        for wrong in row.faults() {
            say(&format!("  FAILED {wrong}"));
            stands = false;
        }
        for (refused, count) in &row.figures.refused {
            say(&format!("  refused {count}: {refused}"));
        }
        tried += 1;
    }
    ensure!(tried > 0, "no fault has this in its name");
    stack.end().await?;
    say(&format!("{tried} faults in {} s", begun.elapsed().as_secs()));
    if !stands {
        say(&format!("logs are in {}", cluster.keep_logs()));
    }
    Ok(stands)
}

/// One fault under load, on a healthy cluster.
async fn trial(fault: Fault, cluster: &mut Cluster, stack: &mut TestStack, world: &Arc<World>) -> Result<Row> {
    let roles = cluster.wait_until_healthy().await.context("not healthy before the fault")?;
    let history = History::default();
    let (before, load) = world.begin(&history, stack.databases()).await?;
    sleep(AROUND).await;
    let inflicted = fault.inflict(cluster, stack, &roles).await?;
    cluster.wait_until_healthy().await.context("not healthy after the fault")?;
    let healed_after = inflicted.at.elapsed();
    sleep(AROUND).await;
    let to = Instant::now();
    load.end().await?;
    let after = Rows::read(stack.databases()).await?;
    let broken = stack.broken_promises().await?;
    let figures = history.figures(&before, &after, inflicted.at, to);
    Ok(Row { fault, evidence: inflicted.evidence, healed_after, figures, broken })
}

// === impl Cluster ===

impl Cluster {
    /// Starts the servers of three machines and waits until all are well. This thread has the network of their switch from
    /// then on.
    ///
    /// # Errors
    /// When one of them does not start.
    async fn start() -> Result<Self> {
        let folder = testing::folder()?;
        let logs = folder.path().join("logs");
        std::fs::create_dir_all(&logs)?;
        let switch = Switch::create()?;
        let secret = || uuid::Uuid::new_v4().simple().to_string();
        let machines = NUMBERS.map(|number| Machine::create(number, &switch, folder.path()));
        let mut cluster = Self {
            proxy: Proxy::start(folder.path())?,
            machines: machines.into_iter().collect::<Result<_>>()?,
            _switch: switch,
            http: reqwest::Client::builder().timeout(Duration::from_secs(5)).pool_max_idle_per_host(0).build()?,
            passwords: Passwords { superuser: secret(), replication: secret() },
            cookie: secret(),
            administrator: BrokerUser { name: "operator".to_owned(), password: secret(), administrator: true },
            logs,
            _folder: folder,
        };
        for number in NUMBERS {
            cluster.boot(number)?;
        }
        cluster.wait_until_healthy().await.with_context(|| format!("logs are in {}", cluster.keep_logs()))?;
        Ok(cluster)
    }

    /// The servers, as the product reaches them.
    fn servers(&self) -> (DatabaseServer, BrokerServer) {
        let Proxy { postgres, amqp, management, .. } = self.proxy;
        let BrokerUser { name, password, .. } = &self.administrator;
        let database = format!("postgres://postgres:{}@127.0.0.1:{postgres}/postgres", self.passwords.superuser);
        let broker = BrokerServer::Borrowed {
            amqp_url: format!("amqp://127.0.0.1:{amqp}"),
            management_url: format!("http://{name}:{password}@127.0.0.1:{management}"),
        };
        (DatabaseServer::At(database), broker)
    }

    fn machine(&mut self, number: u8) -> Result<&mut Machine> {
        self.machines.iter_mut().find(|machine| machine.number == number).context("a machine of the cluster")
    }

    /// Starts every server of a machine that does not run; which ones.
    fn boot(&mut self, number: u8) -> Result<Vec<Server>> {
        let (logs, passwords) = (self.logs.clone(), self.passwords.clone());
        let (cookie, administrator) = (self.cookie.clone(), self.administrator.clone());
        let machine = self.machine(number)?;
        let mut started = Vec::new();
        for server in Server::ALL {
            if machine.processes.get(&server).is_some_and(Process::is_running) {
                continue;
            }
            let launch = match server {
                Server::Etcd => database::etcd(machine, &logs)?,
                Server::Patroni => database::patroni(machine, &logs, &passwords)?,
                Server::Epmd => broker::names(machine, &logs)?,
                Server::RabbitMq => broker::broker(machine, &logs, &cookie, &administrator)?,
            };
            machine.processes.insert(server, launch.start()?);
            started.push(server);
        }
        Ok(started)
    }

    /// Waits until every server is well.
    async fn wait_until_healthy(&self) -> Result<Roles> {
        let begun = Instant::now();
        loop {
            let roles = async {
                broker::healthy(&self.http, &self.administrator).await?;
                database::healthy(&self.http).await
            };
            match roles.await {
                Ok(roles) => return Ok(roles),
                Err(error) if begun.elapsed() > LIMIT => bail!("the cluster is not well in time: {error:#}"),
                Err(_) => sleep(Duration::from_millis(200)).await,
            }
        }
    }

    /// Waits until another machine than the one that is lost leads; which one.
    async fn promotion(&self, lost: u8, limit: Duration) -> Result<u8> {
        let begun = Instant::now();
        loop {
            match database::leader_beside(&self.http, Some(lost)).await {
                Ok(leader) if leader != lost => return Ok(leader),
                _ => ensure!(begun.elapsed() < limit, "no machine was promoted after n{lost} was lost"),
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Whether a machine's Patroni answers.
    async fn answers(&self, number: u8) -> bool {
        database::answers(&self.http, number).await
    }

    /// Copies the logs to where they stay; that folder.
    fn keep_logs(&self) -> String {
        let target = std::env::temp_dir().join(format!("solvane-cluster-{}", std::process::id()));
        copy_logs(&self.logs, &target);
        target.display().to_string()
    }
}

fn copy_logs(from: &Path, to: &Path) {
    drop(std::fs::create_dir_all(to));
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        drop(std::fs::copy(entry.path(), to.join(entry.file_name())));
    }
}
