//! A PostgreSQL and a RabbitMQ that live as long as one command: for tests that need the real
//! servers and nothing of what they write.

use std::{
    path::Path,
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::{
    host::{launch::WALLET_BUCKETS, place, ports},
    servers::{
        postgres::{self, Durability, Postgres},
        rabbitmq::{BrokerUser, Definitions, RabbitMq, Settings},
    },
};

/// The environment variables under which a command finds the servers: for the services' own tests.
pub const DATABASE_URL: &str = "DATABASE_URL";
/// The broker, as an administrator, on the virtual host `/`.
pub const AMQP_URL: &str = "AMQP_URL";
/// The broker's management interface, where a test makes a virtual host of its own.
pub const AMQP_MANAGEMENT_URL: &str = "AMQP_MANAGEMENT_URL";
/// The same three for [`crate`]'s own harness, which would otherwise start servers of its own.
pub const STACK_TEST_DATABASE_URL: &str = "STACK_TEST_DATABASE_URL";
/// The broker, under the same condition as [`STACK_TEST_DATABASE_URL`].
pub const STACK_TEST_AMQP_URL: &str = "STACK_TEST_AMQP_URL";
/// The broker's management API, under the same condition as [`STACK_TEST_DATABASE_URL`].
pub const STACK_TEST_AMQP_MANAGEMENT_URL: &str = "STACK_TEST_AMQP_MANAGEMENT_URL";

/// The two servers with their data in a temporary folder.
#[derive(Debug)]
pub struct Testbed {
    postgres: Postgres,
    rabbitmq: RabbitMq,
    administrator: BrokerUser,
    folder: TempDir,
    buckets: u16,
}

impl Testbed {
    /// Starts both servers.
    ///
    /// # Errors
    /// When one of them is not installed or does not start.
    pub async fn start() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("solvane-").tempdir()?;
        // The servers' users have to pass through.
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
        let password = uuid::Uuid::new_v4().simple().to_string();
        let administrator = BrokerUser { name: "test".to_owned(), password: password.clone(), administrator: true };
        let settings = Settings {
            folder: folder.path().join("rabbitmq"),
            log: folder.path().join("rabbitmq.log"),
            port: ports::free()?,
            management_port: Some(ports::free()?),
            definitions: Definitions { vhosts: vec!["/".to_owned()], users: vec![administrator.clone()] },
            certificate: None,
        };
        let database = postgres::Settings {
            folder: folder.path().join("pg"),
            log: folder.path().join("postgres.log"),
            password,
            durability: Durability::None,
            clock: None,
            certificate: None,
        };
        let (postgres, rabbitmq) = tokio::try_join!(Postgres::start(&database), RabbitMq::start(&settings))?;
        Ok(Self { postgres, rabbitmq, administrator, folder, buckets: 1 })
    }

    /// Has the wallets of a command divide their members into this many buckets.
    #[must_use]
    pub fn in_buckets(mut self, buckets: u16) -> Self {
        self.buckets = buckets;
        self
    }

    /// What a command needs to find the servers.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let amqp = self.rabbitmq.url(&self.administrator, "/");
        let management = self.rabbitmq.management_url(&self.administrator).unwrap_or_default();
        vec![
            (DATABASE_URL, self.postgres.url()),
            (AMQP_URL, amqp.clone()),
            (AMQP_MANAGEMENT_URL, management.clone()),
            (STACK_TEST_DATABASE_URL, self.postgres.url()),
            (STACK_TEST_AMQP_URL, amqp),
            (STACK_TEST_AMQP_MANAGEMENT_URL, management),
            (WALLET_BUCKETS, self.buckets.to_string()),
        ]
    }

    /// Runs a command with the servers in its environment, and waits for its end.
    ///
    /// # Errors
    /// When the command cannot be started.
    pub async fn run(&self, command: &[String]) -> Result<ExitStatus> {
        let (program, arguments) = command.split_first().context("no command was given")?;
        let mut command = Command::new(program);
        command.args(arguments).envs(self.environment());
        run_to_its_end(command).await
    }

    /// Where the logs of both servers are while they run.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Testbed {
    fn drop(&mut self) {
        for folder in ["pg", "rabbitmq"] {
            // Normally gone with the temporary folder, unless the data had to live elsewhere.
            let folder = self.folder.path().join(folder);
            if folder.is_symlink() {
                drop(place::remove(&folder));
            }
        }
    }
}

/// Runs a command in our own terminal. Ctrl-C reaches it directly, a SIGTERM to us is passed on;
/// either way we outlive it, because the servers have to be ended.
///
/// # Errors
/// When the command cannot be started.
pub async fn run_to_its_end(command: Command) -> Result<ExitStatus> {
    use tokio::signal::unix::{SignalKind, signal};
    let program = command.get_program().display().to_string();
    let (mut interrupt, mut end) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut child = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    loop {
        tokio::select! {
            status = child.wait() => return Ok(status?),
            _ = interrupt.recv() => {}
            _ = end.recv() => pass_on(child.id()),
        }
    }
}

fn pass_on(pid: Option<u32>) {
    let pid = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}
