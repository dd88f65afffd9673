//! A private PostgreSQL: created with data checksums, run as an unprivileged user, and reachable only on the loopback
//! address.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep};

use crate::host::{
    certificates::Certificate,
    clock::Clock,
    launch::{Launch, Output},
    place, ports,
    process::{Process, Signal, tail},
};

pub const USER: &str = "postgres";
/// Only a hanging server takes this long, even on a busy machine; a failure is noticed at once.
const START_LIMIT: Duration = Duration::from_secs(120);

/// What the data is worth.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Durability {
    /// As in production: every commit is synced to disk.
    Full,
    /// Lost in a crash of the machine; several times faster, for test data.
    None,
}

/// How to run it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The data folder, made on the first start.
    pub folder: PathBuf,
    /// Where it logs.
    pub log: PathBuf,
    /// Of its superuser `postgres`; taken when the data is made.
    pub password: String,
    /// What the data is worth.
    pub durability: Durability,
    /// The time that it sees, if not the machine's.
    pub clock: Option<Arc<Clock>>,
    /// Its certificate, if its clients use TLS.
    pub certificate: Option<Certificate>,
}

/// A running PostgreSQL of our own.
#[derive(Debug)]
pub struct Postgres {
    process: Process,
    port: u16,
    password: String,
    authority: Option<PathBuf>,
}

impl Postgres {
    /// Starts the server; the first time, makes its data.
    ///
    /// # Errors
    /// When PostgreSQL is not installed, or does not start.
    pub async fn start(settings: &Settings) -> Result<Self> {
        let bin = binaries()?;
        let user = place::user_for(USER);
        let folder = place::prepare(&settings.folder, user)?;
        if !folder.join("data/PG_VERSION").exists() {
            initialise(&bin, &folder, user, settings)?;
        }
        let port = ports::free()?;
        let mut launch = launch(&bin, &folder, port, settings);
        if let Some(certificate) = &settings.certificate {
            let own = certificate.copied_to(&folder)?;
            let file = |name: &str, path: &Path| ["-c".to_owned(), format!("{name}={}", path.display())];
            launch = launch.args(["-c", "ssl=on"]);
            launch = launch.args(file("ssl_cert_file", &own.certificate)).args(file("ssl_key_file", &own.key));
        }
        if let Some(clock) = &settings.clock {
            launch = clock.applied_to(launch);
        }
        let process = launch.start_alone(&folder.join("pid")).await?;
        let authority = settings.certificate.as_ref().map(|certificate| certificate.authority.clone());
        let postgres = Self { process, port, password: settings.password.clone(), authority };
        postgres.wait_until_it_answers(&settings.log).await?;
        Ok(postgres)
    }

    /// The address of the database `postgres` as superuser.
    #[must_use]
    pub fn url(&self) -> String {
        let url = format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", self.password, self.port);
        match &self.authority {
            Some(file) => format!("{url}?sslmode=verify-full&sslrootcert={}", file.display()),
            None => url,
        }
    }

    /// The server's process.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.process
    }

    async fn wait_until_it_answers(&self, log: &Path) -> Result<()> {
        let limit = Instant::now() + START_LIMIT;
        loop {
            match PgConnection::connect(&self.url()).await {
                Ok(connection) => return Ok(connection.close().await?),
                Err(error) if !self.process.is_running() || Instant::now() > limit => {
                    bail!("PostgreSQL does not start: {error}\n{}", tail(log));
                }
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

fn launch(bin: &Path, folder: &Path, port: u16, settings: &Settings) -> Launch {
    let mut parameters = vec![
        format!("port={port}"),
        "listen_addresses=127.0.0.1".to_owned(),
        "unix_socket_directories=".to_owned(),
        "max_connections=300".to_owned(),
        "max_wal_size=4GB".to_owned(),
        "timezone=UTC".to_owned(),
        "log_timezone=UTC".to_owned(),
        // Statements are logged without their values, which are personal.
        "log_parameter_max_length=0".to_owned(),
        "log_parameter_max_length_on_error=0".to_owned(),
    ];
    let own: &[&str] = match settings.durability {
        // As in docker-compose.yml; unused memory is not allocated.
        Durability::Full => &["shared_buffers=512MB"],
        // The log is kept for a while, because a test copies the server while others write.
        Durability::None => &[
            "shared_buffers=128MB",
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "wal_keep_size=1GB",
        ],
    };
    parameters.extend(own.iter().map(|parameter| (*parameter).to_owned()));
    let mut launch = Launch::new("postgres", bin.join("postgres"), Output::File(settings.log.clone()))
        .args(["-D".to_owned(), folder.join("data").display().to_string()])
        .args(parameters.into_iter().flat_map(|parameter| ["-c".to_owned(), parameter]));
    // SIGTERM would wait for clients to disconnect.
    launch.stop = Signal::INT;
    launch.user = place::user_for(USER);
    launch.folder = Some(folder.to_owned());
    launch
}

fn initialise(bin: &Path, folder: &Path, user: Option<&str>, settings: &Settings) -> Result<()> {
    // Readable for the server's user, in a folder that only this user can enter.
    let password_file = folder.join("password");
    fs::write(&password_file, &settings.password)?;
    fs::set_permissions(&password_file, fs::Permissions::from_mode(0o644))?;
    let mut command = Command::new("setpriv");
    if let Some(user) = user {
        command.args(["--reuid", user, "--regid", user, "--init-groups"]);
    }
    command.arg("--").arg(bin.join("initdb")).current_dir(folder);
    command.args(["--data-checksums", "--encoding=UTF8", "--locale=C.UTF-8"]);
    command.args(["--username", USER, "--auth"]);
    command.arg(match settings.durability {
        Durability::Full => "scram-sha-256",
        // Passwords are checked all the same, without the client's hashing, which debug builds take long for.
        Durability::None => "password",
    });
    command.arg("--pwfile").arg(&password_file).arg("--pgdata").arg(folder.join("data"));
    if settings.durability == Durability::None {
        command.arg("--no-sync");
    }
    let output = command.output().context("cannot run initdb")?;
    fs::remove_file(&password_file)?;
    ensure!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// A program of the newest installed version.
///
/// # Errors
/// When PostgreSQL is not installed.
pub fn program(name: &str) -> Result<PathBuf> {
    Ok(binaries()?.join(name))
}

/// The newest installed version's programs: Debian keeps them out of PATH.
fn binaries() -> Result<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = debian
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path())))
        .filter(|(_, path)| path.join("bin/initdb").exists())
        .max();
    if let Some((_, path)) = newest {
        return Ok(path.join("bin"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .find(|folder| folder.join("initdb").exists())
        .context("PostgreSQL is not installed: run `make setup`")
}
