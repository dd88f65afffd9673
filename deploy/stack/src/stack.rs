//! The whole product: servers, keys and processes, started and stopped together.

pub mod operator;
pub mod preparation;
pub mod settings;

mod balancer;

use std::{
    collections::BTreeMap,
    fs::{File, create_dir_all},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, ensure};
use tokio::task::JoinSet;

use self::{
    balancer::Balancer,
    settings::{Logs, Settings},
};
use crate::{
    host::{
        certificates::Certificates,
        clock::{self, Clock},
        launch::{Launch, Output},
        place,
        process::{Process, Signal, tail},
        secrets::Secrets,
    },
    nodes::Nodes,
    servers::{
        self, Servers,
        databases::Databases,
        postgres::{self, Durability, Postgres},
    },
    service::{Ports, Replica, Service, Shared},
};

/// Held while a stack runs.
pub(crate) const LOCK: &str = "lock";
/// Held while a database for development runs.
const DEV_LOCK: &str = "dev-pg.lock";

/// A running product.
///
/// Dropping it kills everything; [`Stack::end`] ends it in order.
#[derive(Debug)]
pub struct Stack {
    // Dropped in this order: the services before their servers, the lock on the folder last.
    services: BTreeMap<Replica, Process>,
    balancers: BTreeMap<Service, (u16, Balancer)>,
    nodes: Nodes,
    servers: Servers,
    settings: Settings,
    shared: Shared,
    /// Binaries of other versions, of the services that run them.
    other_binaries: BTreeMap<Service, PathBuf>,
    /// The clocks of processes that have one of their own.
    clocks: BTreeMap<Replica, Arc<Clock>>,
    ports: BTreeMap<Replica, Ports>,
    _lock: File,
}

// === impl Stack ===

impl Stack {
    /// Starts everything and waits until every process is ready.
    ///
    /// # Errors
    /// When anything of it fails; what had been started is ended.
    pub async fn start(settings: Settings) -> Result<Self> {
        create_dir_all(&settings.folder)?;
        let settings = Settings { folder: settings.folder.canonicalize()?, ..settings };
        let lock = preparation::lock(&settings.folder, LOCK)?;
        for name in ["keys", "mail", "files", "logs"] {
            create_dir_all(settings.folder.join(name))?;
        }
        preparation::set_logs_aside(&settings.folder.join("logs"))?;
        let shared = preparation::shared(&settings)?;
        let ports = preparation::assign_ports(settings.port, settings.two_of_each)?;
        preparation::make_keys(&shared).await?;
        operator::make_treasury_key(&shared.folder).await?;
        let certificates = if settings.tls {
            Some(Certificates::make(&settings.folder.join("tls"), &settings.folder.join("logs/tls.log")).await?)
        } else {
            None
        };
        let shared = Shared { certificates, ..shared };
        let certificates = shared.certificates.as_ref();
        let id = uuid::Uuid::new_v4().simple().to_string();
        let id = &id[..12];
        (settings.progress)("starting PostgreSQL and RabbitMQ, migrating the databases");
        let databases = async {
            let clock = settings.clock.clone();
            let part = servers::start_databases(&settings.databases, &settings.folder, id, clock, certificates).await?;
            preparation::migrate(&shared, &settings.folder, &part.databases).await?;
            anyhow::Ok(part)
        };
        let broker = servers::start_broker(&settings.broker, &settings.folder, id, certificates);
        let nodes = async {
            match settings.chains {
                Some(blocks) => Nodes::start(&settings.folder, blocks).await,
                None => Ok(Nodes::default()),
            }
        };
        let (databases, broker, nodes) = tokio::try_join!(databases, broker, nodes)?;
        let servers = Servers::new(databases, broker);
        let (services, other_binaries, clocks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let balancers = Balancer::before_services(&settings, &ports).await?;
        let mut stack =
            Self { services, balancers, nodes, servers, settings, shared, other_binaries, clocks, ports, _lock: lock };
        (stack.settings.progress)("starting the services");
        let replicas: Vec<_> = stack.replicas().collect();
        for replica in &replicas {
            stack.launch(*replica)?;
        }
        for replica in replicas {
            stack.wait_until_ready(replica).await?;
        }
        Ok(stack)
    }

    /// Deletes everything a stack keeps in `folder`.
    ///
    /// # Errors
    /// When it is running, or something cannot be deleted.
    pub fn reset(folder: &Path) -> Result<()> {
        if !folder.exists() {
            return Ok(());
        }
        let _locks = (preparation::lock(folder, LOCK)?, preparation::lock(folder, DEV_LOCK)?);
        for name in ["pg", "rabbitmq", "dev-pg"] {
            place::remove(&folder.join(name))?;
        }
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))
    }

    /// Starts a database for development in `folder`, exclusively as long as the returned lock is held.
    ///
    /// # Errors
    /// When one runs there already, or it does not start.
    pub async fn start_dev_database(folder: &Path) -> Result<(Postgres, File)> {
        create_dir_all(folder.join("logs"))?;
        let lock = preparation::lock(folder, DEV_LOCK)?;
        let password = Secrets::open(&folder.join("secrets.json"))?.password("dev-pg");
        let settings = postgres::Settings {
            folder: folder.join("dev-pg"),
            log: folder.join("logs/dev-pg.log"),
            password,
            durability: Durability::None,
            clock: None,
            certificate: None,
        };
        Ok((Postgres::start(&settings).await?, lock))
    }

    /// The origin of the product.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.shared.public_url
    }

    /// The folder with everything it keeps.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.settings.folder
    }

    /// Whether mail goes to files, not to an SMTP server.
    #[must_use]
    pub fn writes_mail(&self) -> bool {
        self.settings.smtp_url.is_none()
    }

    /// The nodes of blockchains.
    #[must_use]
    pub const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    pub fn servers(&mut self) -> &mut Servers {
        &mut self.servers
    }

    /// The addresses of its databases.
    #[must_use]
    pub fn databases(&self) -> &Databases {
        self.servers.databases()
    }

    /// Where a process listens.
    #[must_use]
    pub fn ports(&self, replica: impl Into<Replica>) -> Ports {
        self.ports[&replica.into()]
    }

    /// All processes of all services.
    pub fn replicas(&self) -> impl Iterator<Item = Replica> {
        self.ports.keys().copied()
    }

    /// The port under which the others reach a service.
    fn port_of(&self, service: Service) -> u16 {
        self.balancers.get(&service).map_or_else(|| self.ports(service).main, |(port, _)| *port)
    }

    /// A service's process.
    ///
    /// # Errors
    /// When it is not running.
    pub fn process(&self, replica: impl Into<Replica>) -> Result<&Process> {
        let replica = replica.into();
        self.services.get(&replica).with_context(|| format!("{} is not running", replica.name()))
    }

    /// Starts a service that has ended, and waits until it is ready.
    ///
    /// # Errors
    /// When it still runs, or does not become ready.
    pub async fn restart(&mut self, replica: impl Into<Replica>) -> Result<()> {
        let replica = replica.into();
        let running = self.services.get(&replica).is_some_and(Process::is_running);
        ensure!(!running, "{} still runs", replica.name());
        self.launch(replica)?;
        self.wait_until_ready(replica).await
    }

    /// Starts a service that has ended, without waiting for anything.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn launch_again(&mut self, replica: impl Into<Replica>) -> Result<()> {
        self.launch(replica.into())
    }

    /// The same by this clock, or by the stack's without one. Fails like [`Self::restart`].
    pub async fn restart_by(&mut self, replica: Replica, clock: Option<Arc<Clock>>) -> Result<()> {
        match clock {
            Some(clock) => self.clocks.insert(replica, clock),
            None => self.clocks.remove(&replica),
        };
        self.restart(replica).await
    }

    /// Ends a service and starts it from binaries of another version; `None` is this one.
    ///
    /// # Errors
    /// When it does not end, or does not become ready.
    pub async fn swap(&mut self, service: Service, binaries: Option<&Path>) -> Result<()> {
        self.terminate(service).await?;
        match binaries {
            Some(binaries) => self.other_binaries.insert(service, binaries.to_owned()),
            None => self.other_binaries.remove(&service),
        };
        self.restart(service).await
    }

    /// Runs a command of one of the services' binaries with that service's environment, and waits for its end.
    /// The input reaches it through a file, because passwords belong in no argument.
    ///
    /// # Errors
    /// When it fails.
    pub async fn run(&self, service: Service, arguments: &[&str], input: Option<&Path>) -> Result<()> {
        let log = self.folder().join(format!("logs/{}-command-{}.log", service.name(), uuid::Uuid::new_v4().simple()));
        let mut launch = self.launch_of(service.into(), Output::File(log.clone()))?.args(arguments.iter().copied());
        launch.input = input.map(Path::to_owned);
        let status = launch.start()?.wait().await?;
        ensure!(status.success(), "{} {} failed:\n{}", service.name(), arguments.join(" "), tail(&log));
        Ok(std::fs::remove_file(log)?)
    }

    /// Waits until any process ends, and says which and how.
    ///
    /// # Errors
    /// When nothing is running.
    pub async fn first_end(&self) -> Result<String> {
        let mut ends = JoinSet::new();
        for process in self.services.values().chain(self.servers.processes()) {
            ends.spawn(process.ended());
        }
        let (name, status) = ends.join_next().await.context("nothing is running")??;
        let how = status.map_or_else(|| "ended".to_owned(), |status| format!("ended with {status}"));
        let log = self.folder().join(format!("logs/{name}.log"));
        Ok(format!("{name} {how}\n{}", tail(&log)))
    }

    /// Ends the services (gateway first, so that no request is cut off), then the servers.
    ///
    /// # Errors
    /// When something had to be killed.
    pub async fn end(&mut self) -> Result<()> {
        let mut services = std::mem::take(&mut self.services);
        let mut result = Ok(());
        let others = services.split_off(&Replica(Service::Gateway, 0));
        for processes in [others, services] {
            let mut ends = JoinSet::new();
            for process in processes.into_values() {
                ends.spawn(async move { process.terminate().await });
            }
            while let Some(ended) = ends.join_next().await {
                result = result.and(ended?);
            }
        }
        result = result.and(self.nodes.end().await);
        result.and(self.servers.end().await)
    }

    /// SIGKILL, as a crash.
    ///
    /// # Errors
    /// When it is not running.
    pub async fn kill(&self, replica: impl Into<Replica>) -> Result<()> {
        self.process(replica)?.kill().await
    }

    /// SIGTERM, and waits for the end.
    ///
    /// # Errors
    /// When it had to be killed.
    pub async fn terminate(&self, replica: impl Into<Replica>) -> Result<()> {
        self.process(replica)?.terminate().await
    }

    /// SIGSTOP: it hangs, with its connections open.
    ///
    /// # Errors
    /// When it is not running.
    pub fn stop(&self, replica: impl Into<Replica>) -> Result<()> {
        self.process(replica)?.signal(Signal::STOP)
    }

    /// SIGCONT: it goes on.
    ///
    /// # Errors
    /// When it is not running.
    pub fn cont(&self, replica: impl Into<Replica>) -> Result<()> {
        self.process(replica)?.signal(Signal::CONT)
    }

    fn launch(&mut self, replica: Replica) -> Result<()> {
        let launch = self.launch_of(replica, self.output(replica))?;
        self.services.insert(replica, launch.start()?);
        Ok(())
    }

    fn launch_of(&self, replica: Replica, output: Output) -> Result<Launch> {
        let service = replica.0;
        let amqp_url = self.servers.amqp_url(service.owner())?;
        let mut shared = self.shared.clone();
        if let Some(binaries) = self.other_binaries.get(&service) {
            shared.binaries.clone_from(binaries);
        }
        let mut launch = service.launch(&shared, self.ports(replica), |other| self.port_of(other), &amqp_url, output);
        launch.name = replica.name();
        if !self.balancers.is_empty() {
            launch = launch.env("SHUTDOWN_DELAY_SECONDS", "1");
        }
        launch = launch.env("NO_COLOR", "1");
        if let Some(seconds) = self.settings.connection_age_seconds {
            launch = launch.env("GRPC_CONNECTION_AGE_SECONDS", seconds.to_string());
        }
        for (name, value) in &self.settings.environment {
            launch = launch.env(name, value);
        }
        if let Some(folder) = &self.settings.crash_points {
            let folder = folder.join(replica.name());
            create_dir_all(&folder)?;
            launch = launch.env("CRASH_POINTS_DIR", folder.display().to_string());
        }
        if let Some(endpoint) = &self.settings.otlp_endpoint {
            launch = launch.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        }
        if service == Service::PaymentMethod {
            launch = launch.env("TREASURY_KEYS", operator::treasury_public_key(self.folder()));
            for (name, value) in self.nodes.environment() {
                launch = launch.env(name, value);
            }
        }
        let mut database_url = self.databases().url(service);
        if let Some(clock) = &self.settings.clock {
            launch = clock.applied_to(launch);
            database_url = database_url.map(|url| url + clock::DATABASE_OPTIONS);
        }
        if let Some(clock) = self.clocks.get(&replica) {
            launch = clock.applied_to(launch);
        }
        if service.database().is_some() {
            launch = launch.env("DATABASE_URL", database_url?);
        }
        Ok(launch)
    }

    fn output(&self, replica: Replica) -> Output {
        let name = replica.name();
        let log = self.folder().join(format!("logs/{name}.log"));
        match self.settings.logs {
            Logs::Files => Output::File(log),
            Logs::FilesAndTerminal { coloured: false } => Output::Watched { log, prefix: format!("{name:14} ") },
            Logs::FilesAndTerminal { coloured: true } => {
                Output::Watched { log, prefix: format!("\x1b[{}m{name:14}\x1b[0m ", 31 + replica.0 as u8) }
            }
        }
    }

    async fn wait_until_ready(&self, replica: Replica) -> Result<()> {
        let log = self.folder().join(format!("logs/{}.log", replica.name()));
        preparation::wait_until_ready(self.process(replica)?, self.ports(replica).ops, &log).await
    }
}
