//! The description of a running stack for other programs: one file in its folder.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    service::Service,
    stack::{LOCK, Stack, preparation},
};

const NOT_RUNNING: &str = "no stack is running or ready; start one with `make run`";

/// A stack that runs in another process.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Running {
    pub url: String,
    /// The databases by service, as their owners.
    pub databases: BTreeMap<String, String>,
    /// The same as the auditor.
    #[serde(default)]
    pub audited: BTreeMap<String, String>,
    /// Nodes of blockchains by the setting of payment-method that names them.
    #[serde(default)]
    pub nodes: BTreeMap<String, String>,
    /// Health and metrics by service.
    pub ops: BTreeMap<String, String>,
}

impl Running {
    /// Describes a stack.
    ///
    /// # Errors
    /// When one of its addresses cannot be read.
    pub fn of(stack: &Stack) -> Result<Self> {
        let (mut databases, mut audited) = (BTreeMap::new(), BTreeMap::new());
        for service in Service::ALL.into_iter().filter(|service| service.database().is_some()) {
            databases.insert(service.name().to_owned(), stack.databases().owner_url(service)?);
            audited.insert(service.name().to_owned(), stack.databases().auditor_url(service)?);
        }
        let ops = Service::processes()
            .map(|service| (service.name().to_owned(), format!("http://127.0.0.1:{}", stack.ports(service).ops)));
        let nodes = stack.nodes().environment().into_iter().map(|(name, url)| (name.to_owned(), url)).collect();
        Ok(Self { url: stack.url().to_owned(), databases, audited, nodes, ops: ops.collect() })
    }

    /// The stack that runs in `folder`.
    ///
    /// # Errors
    /// When none does.
    pub fn read(folder: &Path) -> Result<Self> {
        // A killed stack leaves its file behind, but not its lock.
        ensure!(folder.exists() && preparation::lock(folder, LOCK).is_err(), NOT_RUNNING);
        let text = fs::read(path(folder)).context(NOT_RUNNING)?;
        Ok(serde_json::from_slice(&text)?)
    }

    /// Writes the description to `folder`, readable only by its owner, because it contains passwords.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let options = fs::File::options().write(true).create(true).truncate(true).mode(0o600).clone();
        serde_json::to_writer_pretty(options.open(path(folder))?, self)?;
        Ok(())
    }

    /// Takes the description away.
    pub fn remove(folder: &Path) {
        drop(fs::remove_file(path(folder)));
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join("running.json")
}
