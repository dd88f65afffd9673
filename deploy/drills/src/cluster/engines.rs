//! The running servers of three machines, with the proxy before them.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::{
    broker,
    database::{self, Passwords, Roles},
    machines::{Machine, NUMBERS, Server, Switch},
    proxy::Proxy,
};
use play::testing;
use stack::{
    host::process::Process,
    servers::{BrokerServer, DatabaseServer, rabbitmq::BrokerUser},
};

/// How long the servers of three machines may take to start, or to be well again.
const LIMIT: Duration = Duration::from_secs(180);
/// How long RabbitMQ's management may give no answer. After a partition 3.10 hangs now and then until it is started again.
const HUNG: Duration = Duration::from_secs(60);

/// The running servers of three machines.
#[derive(Debug)]
pub struct Cluster {
    // Dropped in this order: the proxy, the machines, their switch, the folder.
    proxy: Proxy,
    machines: Vec<Machine>,
    _switch: Switch,
    pub http: reqwest::Client,
    passwords: Passwords,
    cookie: String,
    administrator: BrokerUser,
    logs: PathBuf,
    _folder: TempDir,
}

// === impl Cluster ===

impl Cluster {
    /// Starts the servers of three machines and waits until all are well. This thread has the network of their switch from
    /// then on.
    ///
    /// # Errors
    /// When one of them does not start.
    pub async fn start() -> Result<Self> {
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
    #[must_use]
    pub fn servers(&self) -> (DatabaseServer, BrokerServer) {
        let Proxy { postgres, amqp, management, .. } = self.proxy;
        let BrokerUser { name, password, .. } = &self.administrator;
        let database = format!("postgres://postgres:{}@127.0.0.1:{postgres}/postgres", self.passwords.superuser);
        let broker = BrokerServer::Borrowed {
            amqp_url: format!("amqp://127.0.0.1:{amqp}"),
            management_url: format!("http://{name}:{password}@127.0.0.1:{management}"),
        };
        (DatabaseServer::At(database), broker)
    }

    pub fn machine(&mut self, number: u8) -> Result<&mut Machine> {
        self.machines.iter_mut().find(|machine| machine.number == number).context("a machine of the cluster")
    }

    /// Starts every server of a machine that does not run; which ones.
    pub fn boot(&mut self, number: u8) -> Result<Vec<Server>> {
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

    /// Waits until every server is well. Returns who leads, and the machines whose RabbitMQ hung and was started again.
    pub async fn wait_until_healthy(&mut self) -> Result<(Roles, Vec<u8>)> {
        let (begun, mut restarted) = (Instant::now(), Vec::new());
        loop {
            let roles = async {
                broker::healthy(&self.http, &self.administrator).await?;
                database::healthy(&self.http).await
            };
            match roles.await {
                Ok(roles) => return Ok((roles, restarted)),
                Err(error) if begun.elapsed() > LIMIT => bail!("the cluster is not well in time: {error:#}"),
                Err(_) => sleep(Duration::from_millis(200)).await,
            }
            if begun.elapsed() > HUNG && restarted.is_empty() {
                restarted = self.restart_hung_brokers().await?;
            }
        }
    }

    async fn restart_hung_brokers(&mut self) -> Result<Vec<u8>> {
        let mut restarted = Vec::new();
        for number in NUMBERS {
            if !broker::answers(&self.http, number, &self.administrator).await {
                self.machine(number)?.processes.remove(&Server::RabbitMq);
                self.boot(number)?;
                restarted.push(number);
            }
        }
        Ok(restarted)
    }

    /// Waits until another machine than the one that is lost leads; which one.
    pub async fn promotion(&self, lost: u8, limit: Duration) -> Result<u8> {
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
    pub async fn answers(&self, number: u8) -> bool {
        database::answers(&self.http, number).await
    }

    /// Copies the logs to where they stay; that folder.
    pub fn keep_logs(&self) -> String {
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
