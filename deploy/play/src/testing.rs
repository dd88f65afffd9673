//! The whole product for one test: real binaries, real servers, nothing left behind.

mod members;
mod settings;

use std::{
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use self::settings::{broker, databases};
use crate::{
    client::Client,
    mails::{self, Mail},
    seed::{self, STAFF_PASSWORD},
};
use audit::{Evidence, Urls, Verdict, audit};
use stack::{
    Replica, Service, Settings, Stack,
    host::smtp::SmtpServer,
    nodes::Blocks,
    running::Running,
    servers::{BrokerServer, DatabaseServer, postgres::Durability},
};

pub use self::members::{Member, PASSWORD};
pub use self::settings::{folder, one_reviewer, settings, unproven_without_limits};

/// What a test needs beyond the usual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A broker that serves this stack alone, so that it can fail.
    pub own_broker: bool,
    /// Plans with a month of values; staff and deposit addresses are always there.
    pub plans: bool,
    /// The gateway's limits by client address; without them, one address may send everything.
    pub limits_by_address: bool,
    /// Mail over SMTP, so that the server can fail; otherwise mail as files.
    pub smtp: bool,
    /// Staff with a second factor; then there are accounts of staff alone, each to be enrolled by the test.
    pub staff_totp: bool,
    /// The age at which services drain their gRPC connections.
    pub connection_age_seconds: Option<u64>,
    /// Whether there are two processes of each service, behind load balancers.
    pub two_of_each: bool,
    /// Whether processes and servers use TLS.
    pub tls: bool,
    /// Nodes of blockchains, which make blocks when the test asks.
    pub chains: bool,
    /// One reviewer approves deposits of any sum, for load that goes on for long.
    pub one_reviewer: bool,
    /// The port of a receiver of traces.
    pub otlp_port: Option<u16>,
    /// Whether processes die where [`TestStack::arm`] says.
    pub crash_points: bool,
}

/// A seeded stack in a temporary folder.
///
/// It uses the servers of [`stack::servers::testbed`] when it runs under one, and starts its own otherwise.
#[derive(Debug)]
pub struct TestStack {
    stack: Stack,
    smtp: Option<SmtpServer>,
    mail_dir: PathBuf,
    _folder: TempDir,
}

// === impl TestStack ===

impl TestStack {
    /// Starts a stack that shares its servers where it can.
    ///
    /// # Errors
    /// When anything of it fails.
    pub async fn start() -> Result<Self> {
        Self::with(Options::default()).await
    }

    /// Starts a stack with what the test needs.
    ///
    /// # Errors
    /// When anything of it fails.
    pub async fn with(options: Options) -> Result<Self> {
        let databases = if options.tls { DatabaseServer::Own(Durability::None) } else { databases() };
        let broker = if options.own_broker || options.tls { BrokerServer::Own } else { broker() };
        Self::on(databases, broker, options).await
    }

    /// Starts a stack on these servers.
    ///
    /// # Errors
    /// When anything of it fails.
    pub async fn on(databases: DatabaseServer, broker: BrokerServer, options: Options) -> Result<Self> {
        let folder = folder()?;
        let mail_dir = folder.path().join("mail");
        std::fs::create_dir_all(&mail_dir)?;
        let smtp = if options.smtp { Some(SmtpServer::start(&mail_dir).await?) } else { None };
        let settings = Settings {
            databases,
            broker,
            smtp_url: smtp.as_ref().map(SmtpServer::url),
            unlimited: !options.limits_by_address,
            staff_totp: options.staff_totp,
            connection_age_seconds: options.connection_age_seconds,
            two_of_each: options.two_of_each,
            tls: options.tls,
            chains: options.chains.then_some(Blocks::OnDemand),
            otlp_endpoint: options.otlp_port.map(|port| format!("http://127.0.0.1:{port}")),
            crash_points: options.crash_points.then(|| folder.path().join(CRASH_POINTS)),
            environment: if options.one_reviewer { one_reviewer() } else { unproven_without_limits() },
            ..settings(folder.path())?
        };
        let stack = Self { stack: Stack::start(settings).await?, smtp, mail_dir, _folder: folder };
        if options.staff_totp {
            seed::staff(&stack).await?;
        } else if options.plans {
            seed::seed(&stack).await?;
        } else {
            seed::people_and_methods(&stack).await?;
        }
        stack.wait_for_check().await?;
        Ok(stack)
    }

    /// Waits for the first check of the ledger: withdrawals are paused before it.
    async fn wait_for_check(&self) -> Result<()> {
        const IS_CHECKED: &str = "SELECT bool_and(checked_at IS NOT NULL) FROM ledger_checks";
        let mut wallet = audit::connect(&self.databases().owner_url(Service::Wallet)?).await?;
        let limit = Instant::now() + Duration::from_secs(60);
        while !sqlx::query_scalar::<_, bool>(IS_CHECKED).fetch_one(&mut wallet).await? {
            ensure!(Instant::now() < limit, "the ledger is not checked");
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Starts a stack with these settings, whose data is in this folder, with staff and deposit addresses.
    ///
    /// # Errors
    /// When anything of it fails.
    pub async fn from_settings(folder: TempDir, settings: Settings) -> Result<Self> {
        let mail_dir = folder.path().join("mail");
        let stack = Self { stack: Stack::start(settings).await?, smtp: None, mail_dir, _folder: folder };
        seed::people_and_methods(&stack).await?;
        Ok(stack)
    }

    /// Lets a process die at a crash point, the next time it gets there.
    ///
    /// # Errors
    /// When the stack was started without crash points.
    pub fn arm(&self, replica: impl Into<Replica>, point: &str) -> Result<()> {
        let file = self.folder().join(CRASH_POINTS).join(replica.into().name()).join(point);
        std::fs::write(&file, "").with_context(|| format!("cannot arm {}", file.display()))
    }

    /// Where the mails are.
    #[must_use]
    pub fn mail_dir(&self) -> &Path {
        &self.mail_dir
    }

    /// All mails so far.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn mails(&self) -> Result<Vec<Mail>> {
        mails::read(&self.mail_dir)
    }

    /// Waits for a mail with this in its subject.
    ///
    /// # Errors
    /// When none comes in time.
    pub async fn mail(&self, email: &str, subject: &str) -> Result<Mail> {
        let subject = subject.to_lowercase();
        mails::wait_for(&self.mail_dir, email, |mail| mail.subject.to_lowercase().contains(&subject)).await
    }

    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.url())
    }

    /// A member of staff of the seeds, such as "reviewer".
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn staff(&self, name: &str) -> Result<Client> {
        self.client().login(&format!("{name}@solvane.test"), STAFF_PASSWORD).await
    }

    /// Publishes the rates of the seeds, without which no payout starts.
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn publish_rates(&self) -> Result<()> {
        let (treasurer, treasurer2) = seed::pair(&self.client(), "treasurer").await?;
        seed::publish_rates(&treasurer, &treasurer2).await
    }

    /// The promises that the databases show broken. Fails like [`Self::verdicts`].
    pub async fn broken_promises(&self) -> Result<Vec<Verdict>> {
        Ok(self.verdicts().await?.into_iter().filter(|verdict| !verdict.offending.is_empty()).collect())
    }

    /// What the audit says of every promise, after what is under way had ten seconds to settle.
    ///
    /// # Errors
    /// When a database cannot be read.
    pub async fn verdicts(&self) -> Result<Vec<Verdict>> {
        let running = Running::of(self)?;
        let urls = Urls::of(&running.audited)?;
        let trusted_keys = self.folder().join("keys/trusted.json");
        let evidence = Evidence { trusted_keys: &trusted_keys, roots: None, nodes: Some(&running.nodes) };
        let limit = Instant::now() + Duration::from_secs(10);
        loop {
            let verdicts = audit(&urls, Some(&evidence)).await?;
            if verdicts.iter().all(|verdict| verdict.offending.is_empty()) || Instant::now() > limit {
                return Ok(verdicts);
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Takes the SMTP server away.
    ///
    /// # Errors
    /// When the stack was started without one.
    pub async fn stop_smtp(&mut self) -> Result<()> {
        self.smtp.as_mut().context("started without an SMTP server")?.stop().await;
        Ok(())
    }

    /// Brings the SMTP server back.
    ///
    /// # Errors
    /// When the stack was started without one.
    pub async fn start_smtp(&mut self) -> Result<()> {
        self.smtp.as_mut().context("started without an SMTP server")?.resume().await
    }

    /// Takes the broker away, as if its machine had failed.
    ///
    /// # Errors
    /// When the broker is shared.
    pub async fn stop_broker(&mut self) -> Result<()> {
        self.stack.servers().stop_broker().await
    }

    /// Brings the broker back, with its data.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start_broker(&mut self) -> Result<()> {
        self.stack.servers().start_broker().await
    }
}

impl Deref for TestStack {
    type Target = Stack;

    fn deref(&self) -> &Stack {
        &self.stack
    }
}

impl DerefMut for TestStack {
    fn deref_mut(&mut self) -> &mut Stack {
        &mut self.stack
    }
}

/// The folder of crash points within that of a stack.
const CRASH_POINTS: &str = "crash-points";
