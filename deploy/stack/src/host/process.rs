//! A child process, whose exit is always noticed.

use std::{path::Path, process::ExitStatus, thread::JoinHandle, time::Duration};

use anyhow::{Context, Result, anyhow, bail};
pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process_group};
use tokio::{sync::watch, time::timeout};

/// How long a process may take to stop.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
const TAIL_LINES: usize = 30;

/// A process that runs, or has ended.
///
/// Dropping it kills the process and waits for its end.
#[derive(Debug)]
pub struct Process {
    pub(crate) name: String,
    pub(crate) pid: Pid,
    pub(crate) stop: Signal,
    pub(crate) exit: watch::Receiver<Option<ExitStatus>>,
    pub(crate) keeper: Option<JoinHandle<()>>,
}

impl Process {
    /// The name it was started under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its id, while it runs.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Whether it still runs (a stopped one does).
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.exit.borrow().is_none() && !self.keeper.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Sends a signal to the process and its children; a process that has ended ignores it.
    ///
    /// # Errors
    /// When the signal may not be sent.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        if !self.is_running() {
            return Ok(());
        }
        match kill_process_group(self.pid, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(anyhow!(error).context(format!("cannot signal {}", self.name))),
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When its exit status cannot be known.
    pub async fn wait(&self) -> Result<ExitStatus> {
        let mut exit = self.exit.clone();
        let status = exit.wait_for(Option::is_some).await.context("its end was not seen")?;
        status.as_ref().copied().context("its end was not seen")
    }

    /// Its end, for a task that outlives this borrow: its name, and its exit status when that is known.
    pub fn ended(&self) -> impl Future<Output = (String, Option<ExitStatus>)> + Send + use<> {
        let (name, mut exit) = (self.name.clone(), self.exit.clone());
        async move {
            let status = exit.wait_for(Option::is_some).await.ok().and_then(|status| *status);
            (name, status)
        }
    }

    /// Stops it: its stop signal, then SIGKILL after ten seconds.
    ///
    /// # Errors
    /// When it had to be killed.
    pub async fn terminate(&self) -> Result<()> {
        self.signal(self.stop)?;
        self.signal(Signal::CONT)?;
        if timeout(PATIENCE, self.wait()).await.is_err() {
            self.kill().await?;
            bail!("{} did not end within {} s and was killed", self.name, PATIENCE.as_secs());
        }
        Ok(())
    }

    /// SIGKILL, and waits for the end.
    ///
    /// # Errors
    /// When the signal may not be sent.
    pub async fn kill(&self) -> Result<()> {
        self.signal(Signal::KILL)?;
        self.wait().await.map(drop)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Only PostgreSQL stops on SIGINT; if killed, it would leave its backends behind for a while.
        let signal = if self.stop == Signal::INT { Signal::QUIT } else { Signal::KILL };
        drop(self.signal(signal));
        if let Some(keeper) = self.keeper.take() {
            drop(keeper.join());
        }
    }
}

/// The last lines of a log file, for a message about a process that failed.
#[must_use]
pub fn tail(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
