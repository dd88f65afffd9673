//! A clock for the processes of a stack that runs behind the machine's clock and is advanced manually, so that months
//! of activity can be played in minutes. It needs the library of Debian's package libfaketime.
//!
//! Timers are not affected: waiting for a minute still takes a real minute.

use std::fs::{Permissions, rename, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::host::launch::Launch;

/// Appended to database addresses to disable timeouts. Their signals interrupt libfaketime, which then returns the
/// machine's time, and PostgreSQL cancels transactions that seem to be months old.
pub(crate) const DATABASE_OPTIONS: &str = "?options[statement_timeout]=0&options[lock_timeout]=0\
    &options[idle_in_transaction_session_timeout]=0&options[client_connection_check_interval]=0";

/// The time seen by the processes started with it: a number of seconds before the machine's time.
#[derive(Debug)]
pub struct Clock {
    library: PathBuf,
    folder: TempDir,
}

impl Clock {
    /// A clock that runs `seconds` behind the machine's.
    ///
    /// # Errors
    /// When libfaketime is not installed.
    pub fn behind(seconds: u64) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("solvane-clock-").tempdir()?;
        // PostgreSQL reads it too, as another user.
        set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        let clock = Self { library: library()?, folder };
        clock.set_behind(seconds)?;
        Ok(clock)
    }

    /// Sets the clock, only forward, because the product relies on increasing time.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_behind(&self, seconds: u64) -> Result<()> {
        let new = self.folder.path().join("new");
        write(&new, format!("-{seconds}\n"))?;
        set_permissions(&new, Permissions::from_mode(0o644))?;
        Ok(rename(new, self.offset())?)
    }

    /// Makes a process see this time. The library is loaded into the program, not into `setpriv`, which starts it.
    #[must_use]
    pub fn applied_to(&self, mut launch: Launch) -> Launch {
        launch.preload = Some(self.library.clone());
        let offset = self.offset().display().to_string();
        // A faked monotonic clock would block threads that wait with a timeout.
        launch
            .env("FAKETIME_TIMESTAMP_FILE", offset)
            .envs(&[("FAKETIME_NO_CACHE", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")])
    }

    fn offset(&self) -> PathBuf {
        self.folder.path().join("offset")
    }
}

fn library() -> Result<PathBuf> {
    std::fs::read_dir("/usr/lib")?
        .flatten()
        .map(|entry| entry.path().join("faketime/libfaketimeMT.so.1"))
        .find(|path| path.exists())
        .context("libfaketime is not installed: run `make setup`")
}
