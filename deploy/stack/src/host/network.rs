//! Network namespaces: machines of a cluster on this machine. They need root.

use std::{
    fs::File,
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use rustix::{
    process::{Pid, Signal, kill_process},
    thread::{LinkNameSpaceType, move_into_link_name_space},
};

/// Where `ip netns` keeps them.
const FOLDER: &str = "/run/netns";
/// Before the id of the process that made a namespace.
const PREFIX: &str = "solvane-";

/// A network namespace, removed when dropped. What runs in it has to end before.
#[derive(Debug)]
pub struct Namespace {
    name: String,
}

/// Makes this thread, and all that it starts, use the network of a namespace.
///
/// # Errors
/// When there is none at this path, or this is not root.
pub fn enter(path: &Path) -> Result<()> {
    let file = File::open(path).with_context(|| format!("no network namespace at {}", path.display()))?;
    Ok(move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// Whether this process may make namespaces, and why not.
///
/// # Errors
/// With the reason.
pub fn check() -> Result<()> {
    ensure!(rustix::process::geteuid().is_root(), "network namespaces need root");
    let probe = Namespace::create("probe").context("this machine has no network namespaces")?;
    drop(probe);
    Ok(())
}

/// Runs `ip` with these words.
///
/// # Errors
/// With what it says.
pub fn ip(words: &str) -> Result<()> {
    run("ip", &words.split(' ').collect::<Vec<_>>()).map(drop)
}

/// Runs a program to its end; its output.
///
/// # Errors
/// With what it says when it fails.
pub fn run(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output().with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        bail!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

// === impl Namespace ===

impl Namespace {
    /// A new one, with its loopback interface up.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(role: &str) -> Result<Self> {
        let namespace = Self { name: format!("{PREFIX}{}-{role}", std::process::id()) };
        ip(&format!("netns add {}", namespace.name))?;
        ip(&format!("-n {} link set lo up", namespace.name))?;
        Ok(namespace)
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn path(&self) -> PathBuf {
        Path::new(FOLDER).join(&self.name)
    }

    /// Everything that runs in it.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn processes(&self) -> Result<Vec<Pid>> {
        let listed = run("ip", &["netns", "pids", &self.name])?;
        Ok(listed.lines().filter_map(|line| line.trim().parse().ok()).filter_map(Pid::from_raw).collect())
    }

    /// Sends a signal to everything that runs in it.
    ///
    /// # Errors
    /// When a process may not be signalled.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        for process in self.processes()? {
            match kill_process(process, signal) {
                Ok(()) | Err(rustix::io::Errno::SRCH) => {}
                Err(error) => return Err(error).context("cannot signal a process of a namespace"),
            }
        }
        Ok(())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(ip(&format!("netns del {}", self.name)));
    }
}

/// Removes the namespaces that processes which were killed have left behind.
pub fn remove_abandoned() {
    for entry in std::fs::read_dir(FOLDER).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new(&format!("/proc/{owner}")).exists()) {
            drop(ip(&format!("netns del {name}")));
        }
    }
}
