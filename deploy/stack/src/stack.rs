//! The whole product: servers, keys and processes, started and stopped together.

use std::{
    collections::BTreeMap,
    fs::{File, create_dir_all},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::{
    certificates::Certificates,
    clock,
    databases::Databases,
    nodes::Nodes,
    place,
    postgres::{self, Durability, Postgres},
    preparation,
    process::{Launch, Output, Process, Signal, tail},
    secrets::Secrets,
    servers::{self, Servers},
    service::{Ports, Service, Shared},
    settings::{Logs, Settings},
};

/// Held while a stack runs.
pub(crate) const LOCK: &str = "lock";
/// Held while a database for development runs.
const DEV_LOCK: &str = "dev-pg.lock";
const READY_LIMIT: Duration = Duration::from_secs(120);

/// A running product.
///
/// Dropping it kills everything; [`Stack::end`] ends it in order.
#[derive(Debug)]
pub struct Stack {
    // Dropped in this order: the services before their servers, the lock on the folder last.
    services: BTreeMap<Service, Process>,
    nodes: Nodes,
    servers: Servers,
    settings: Settings,
    shared: Shared,
    /// Binaries of other versions, of the services that run them.
    other_binaries: BTreeMap<Service, PathBuf>,
    ports: BTreeMap<Service, Ports>,
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
        let ports = preparation::assign_ports(settings.port)?;
        preparation::make_keys(&shared).await?;
        let certificates = match settings.tls {
            true => {
                Some(Certificates::make(&settings.folder.join("tls"), &settings.folder.join("logs/tls.log")).await?)
            }
            false => None,
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
        let (services, other_binaries) = (BTreeMap::new(), BTreeMap::new());
        let mut stack = Self { services, nodes, servers, settings, shared, other_binaries, ports, _lock: lock };
        (stack.settings.progress)("starting the services");
        for service in Service::ALL {
            stack.launch(service)?;
        }
        for service in Service::ALL {
            stack.wait_until_ready(service).await?;
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

    /// Where a service listens.
    #[must_use]
    pub fn ports(&self, service: Service) -> Ports {
        self.ports[&service]
    }

    /// A service's process.
    ///
    /// # Errors
    /// When it is not running.
    pub fn process(&self, service: Service) -> Result<&Process> {
        self.services.get(&service).with_context(|| format!("{} is not running", service.name()))
    }

    /// Starts a service that has ended, and waits until it is ready.
    ///
    /// # Errors
    /// When it still runs, or does not become ready.
    pub async fn restart(&mut self, service: Service) -> Result<()> {
        let running = self.services.get(&service).is_some_and(Process::is_running);
        ensure!(!running, "{} still runs", service.name());
        self.launch(service)?;
        self.wait_until_ready(service).await
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
        let mut launch = self.launch_of(service, Output::File(log.clone()))?.args(arguments.iter().copied());
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
        if let Some(gateway) = services.remove(&Service::Gateway) {
            result = gateway.terminate().await;
        }
        let mut ends = JoinSet::new();
        for process in services.into_values() {
            ends.spawn(async move { process.terminate().await });
        }
        while let Some(ended) = ends.join_next().await {
            result = result.and(ended?);
        }
        result = result.and(self.nodes.end().await);
        result.and(self.servers.end().await)
    }

    fn launch(&mut self, service: Service) -> Result<()> {
        let launch = self.launch_of(service, self.output(service))?;
        self.services.insert(service, launch.start()?);
        Ok(())
    }

    fn launch_of(&self, service: Service, output: Output) -> Result<Launch> {
        let amqp_url = self.servers.amqp_url(service)?;
        let mut shared = self.shared.clone();
        if let Some(binaries) = self.other_binaries.get(&service) {
            shared.binaries.clone_from(binaries);
        }
        let mut launch = service.launch(&shared, |other| self.ports[&other], &amqp_url, output);
        launch = launch.env("NO_COLOR", "1");
        // A gateway from before the service course has the texts in its own folder.
        if let Some(binaries) = self.other_binaries.get(&service) {
            let texts = binaries.join("../../source/gateway/content/course");
            launch = launch.env("COURSE_DIR", texts.display().to_string());
        }
        if let Some(seconds) = self.settings.connection_age_seconds {
            launch = launch.env("GRPC_CONNECTION_AGE_SECONDS", seconds.to_string());
        }
        if let Some(endpoint) = &self.settings.otlp_endpoint {
            launch = launch.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        }
        if service == Service::PaymentMethod {
            for (name, value) in self.nodes.environment() {
                launch = launch.env(name, value);
            }
        }
        let mut database_url = self.databases().url(service);
        if let Some(clock) = &self.settings.clock {
            launch = clock.applied_to(launch);
            database_url = database_url.map(|url| url + clock::DATABASE_OPTIONS);
        }
        if service.database().is_some() {
            launch = launch.env("DATABASE_URL", database_url?);
        }
        Ok(launch)
    }

    fn output(&self, service: Service) -> Output {
        let name = service.name();
        let log = self.folder().join(format!("logs/{name}.log"));
        match self.settings.logs {
            Logs::Files => Output::File(log),
            Logs::FilesAndTerminal { coloured: false } => Output::Watched { log, prefix: format!("{name:14} ") },
            Logs::FilesAndTerminal { coloured: true } => {
                Output::Watched { log, prefix: format!("\x1b[{}m{name:14}\x1b[0m ", 31 + service as u8) }
            }
        }
    }

    async fn wait_until_ready(&self, service: Service) -> Result<()> {
        let address = format!("http://127.0.0.1:{}/readyz", self.ports(service).ops);
        let client = reqwest::Client::builder().timeout(Duration::from_secs(3)).build()?;
        let limit = Instant::now() + READY_LIMIT;
        loop {
            if client.get(&address).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            let running = self.process(service)?.is_running();
            if !running || Instant::now() > limit {
                let why = if running { "is not ready in time" } else { "ended while starting" };
                let log = self.folder().join(format!("logs/{}.log", service.name()));
                bail!("{} {why}\n{}", service.name(), tail(&log));
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Stack {
    /// SIGKILL, as a crash.
    ///
    /// # Errors
    /// When it is not running.
    pub async fn kill(&self, service: Service) -> Result<()> {
        self.process(service)?.kill().await
    }

    /// SIGTERM, and waits for the end.
    ///
    /// # Errors
    /// When it had to be killed.
    pub async fn terminate(&self, service: Service) -> Result<()> {
        self.process(service)?.terminate().await
    }

    /// SIGSTOP: it hangs, with its connections open.
    ///
    /// # Errors
    /// When it is not running.
    pub fn stop(&self, service: Service) -> Result<()> {
        self.process(service)?.signal(Signal::STOP)
    }

    /// SIGCONT: it goes on.
    ///
    /// # Errors
    /// When it is not running.
    pub fn cont(&self, service: Service) -> Result<()> {
        self.process(service)?.signal(Signal::CONT)
    }
}
