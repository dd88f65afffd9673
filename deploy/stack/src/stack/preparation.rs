//! Preparations before the first process of the product starts.

use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::{
    host::{
        launch::{Launch, Output, WALLET_BUCKETS},
        ports,
        process::{Process, tail},
    },
    servers::databases::Databases,
    service::{Ports, Replica, Service, Shared, binary},
    stack::settings::Settings,
};

const READY_LIMIT: Duration = Duration::from_secs(120);

/// One stack, and one database for development, a folder at a time.
pub(crate) fn lock(folder: &Path, name: &str) -> Result<File> {
    let file = File::create(folder.join(name))?;
    file.try_lock().with_context(|| format!("another one runs in {}", folder.display()))?;
    Ok(file)
}

/// Rotates the logs of the previous run, so that they do not grow forever.
pub(crate) fn set_logs_aside(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            std::fs::rename(&path, path.with_extension("log.1"))?;
        }
    }
    Ok(())
}

pub(crate) fn shared(settings: &Settings) -> Result<Shared> {
    let shared = Shared {
        folder: settings.folder.clone(),
        binaries: binaries()?,
        web: settings.web.clone(),
        unlimited: settings.unlimited,
        staff_totp: settings.staff_totp,
        smtp_url: settings.smtp_url.clone(),
        certificates: None,
        // By its name: browsers know no passkeys of an address that is a number.
        public_url: format!("http://localhost:{}", settings.port),
    };
    for service in Service::ALL {
        let path = binary(&shared.binaries, service.name());
        ensure!(path.exists(), "{} is not built: run `cargo build --workspace --bins`", path.display());
    }
    Ok(shared)
}

/// The folder of the product's binaries: that of this program, or its parent for a test.
pub fn binaries() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().context("a program is in a folder")?;
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    Ok(folder.to_owned())
}

/// The ports of every process. Alone, the gateway listens on `gateway`; of two, a load balancer does.
pub(crate) fn assign_ports(gateway: u16, two_of_each: bool) -> Result<BTreeMap<Replica, Ports>> {
    let numbers = if two_of_each { 0..2 } else { 0..1 };
    Service::processes()
        .flat_map(|service| numbers.clone().map(move |number| Replica(service, number)))
        .map(|replica| {
            let is_public = replica.0 == Service::Gateway && !two_of_each;
            let main = if is_public { gateway } else { ports::free()? };
            Ok((replica, Ports { main, ops: ports::free()? }))
        })
        .collect()
}

/// Writes the key files that are missing.
pub(crate) async fn make_keys(shared: &Shared) -> Result<()> {
    let keys = shared.folder.join("keys").display().to_string();
    let log = shared.folder.join("logs/keys.log");
    let status = Launch::new("auth keys", binary(&shared.binaries, "auth"), Output::File(log.clone()))
        .args(["keys", "generate", "--dir", &keys])
        .start()?
        .wait()
        .await?;
    ensure!(status.success(), "auth keys generate failed:\n{}", tail(&log));
    Ok(())
}

/// Migrates every database to the version of the binaries, as the owner of its schema.
pub(crate) async fn migrate(shared: &Shared, folder: &Path, databases: &Databases) -> Result<()> {
    let mut migrations = JoinSet::new();
    for service in Service::ALL.into_iter().filter(|service| service.database().is_some()) {
        let name = service.name();
        let log = folder.join(format!("logs/{name}-migrate.log"));
        migrations.spawn(migrate_one(shared.binaries.clone(), service, log, databases.owner_url(service)?));
    }
    while let Some(migrated) = migrations.join_next().await {
        migrated??;
    }
    Ok(())
}

/// Migrates the database at `url` with the binary of its service.
pub async fn migrate_one(binaries: PathBuf, service: Service, log: PathBuf, url: String) -> Result<()> {
    let name = service.name();
    let mut launch = Launch::new(name, binary(&binaries, name), Output::File(log.clone())).env("DATABASE_URL", url);
    launch = match std::env::var(WALLET_BUCKETS) {
        // Makes the buckets that are missing, too. All processes of a stack read all of them.
        Ok(count) if service == Service::Wallet => launch.args(["buckets", "--make", "--open", &count]),
        _ => launch.args(["migrate"]),
    };
    let status = launch.start()?.wait().await?;
    ensure!(status.success(), "the migration of {name} failed:\n{}", tail(&log));
    Ok(())
}

/// Waits until a process that was started answers `/readyz` on its port for operations.
pub(crate) async fn wait_until_ready(process: &Process, ops_port: u16, log: &Path) -> Result<()> {
    let address = format!("http://127.0.0.1:{ops_port}/readyz");
    let client = reqwest::Client::builder().timeout(Duration::from_secs(3)).build()?;
    let limit = Instant::now() + READY_LIMIT;
    while !client.get(&address).send().await.is_ok_and(|answer| answer.status().is_success()) {
        let running = process.is_running();
        if !running || Instant::now() > limit {
            let why = if running { "is not ready in time" } else { "ended while starting" };
            bail!("{} {why}\n{}", process.name(), tail(log));
        }
        sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logs_of_the_run_before_are_kept_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        for text in ["first", "second"] {
            std::fs::write(file("auth.log"), text).expect("written");
            set_logs_aside(folder.path()).expect("set aside");
        }
        assert!(!file("auth.log").exists());
        assert_eq!(std::fs::read_to_string(file("auth.log.1")).expect("kept"), "second");
    }
}
