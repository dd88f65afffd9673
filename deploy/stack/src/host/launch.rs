//! Starts a child process that dies with this process, even if it is killed.

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use rustix::process::Pid;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::host::network;
use crate::host::process::{PATIENCE, Process, Signal};

/// Into how many buckets wallets divide their members: for their own tests, and for the products of a testbed's command.
pub const WALLET_BUCKETS: &str = "WALLET_BUCKETS";
/// The variables that child processes inherit; all others are set explicitly.
const INHERITED: [&str; 8] = [
    "PATH",
    "LANG",
    "TERM",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "SSL_CERT_FILE",
    // Of a testbed, for the wallets of all its products.
    WALLET_BUCKETS,
];

/// What to start, and how to end it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The name in logs and messages.
    pub name: String,
    /// The program, by path or by name.
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Its environment, beside PATH and the like.
    pub env: Vec<(String, String)>,
    /// What it reads; nothing when not set.
    pub input: Option<PathBuf>,
    /// Its working directory; ours when not set.
    pub folder: Option<PathBuf>,
    /// The user to become, when we are root.
    pub user: Option<&'static str>,
    /// A library that the program loads before its own.
    pub preload: Option<PathBuf>,
    /// The network namespace that it runs in; ours when not set.
    pub network: Option<PathBuf>,
    /// The signal that asks it to end.
    pub stop: Signal,
    /// Where its output goes.
    pub output: Output,
}

/// Where the output of a process goes.
#[derive(Clone, Debug)]
pub enum Output {
    /// Appended to a file.
    File(PathBuf),
    /// Appended to a file; warnings and errors also go to standard output, with this prefix.
    Watched {
        /// The file that gets every line.
        log: PathBuf,
        /// The prefix of lines in the terminal.
        prefix: String,
    },
}

impl Launch {
    /// A launch of `program` under `name` with nothing else set: ends on SIGTERM, logs to `output`.
    #[must_use]
    pub fn new(name: &str, program: impl Into<PathBuf>, output: Output) -> Self {
        Self {
            name: name.to_owned(),
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            input: None,
            folder: None,
            user: None,
            preload: None,
            network: None,
            stop: Signal::TERM,
            output,
        }
    }

    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds one environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Waits until the process of an earlier run in `pid_file` has ended, starts this one and writes its pid there. Two
    /// servers must never share a data folder.
    ///
    /// # Errors
    /// When the earlier one stays, or this one cannot be started.
    pub async fn start_alone(self, pid_file: &Path) -> Result<Process> {
        let earlier = async {
            while leads_to_a_process(pid_file, &self.program) {
                sleep(Duration::from_millis(50)).await;
            }
        };
        if timeout(PATIENCE, earlier).await.is_err() {
            bail!("{} of an earlier run still runs, see {}", self.name, pid_file.display());
        }
        let process = self.start()?;
        std::fs::write(pid_file, process.pid.as_raw_nonzero().to_string())?;
        Ok(process)
    }

    /// Adds several environment variables.
    #[must_use]
    pub fn envs(mut self, variables: &[(&str, &str)]) -> Self {
        self.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    /// Starts the process.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(self) -> Result<Process> {
        let (started, result) = mpsc::sync_channel(1);
        let (ended, exit) = watch::channel(None);
        let (name, stop) = (self.name.clone(), self.stop);
        // The kernel sends the death signal when the thread that started the child ends, not the process, so that
        // thread stays until the child has ended.
        let keeper = thread::Builder::new().name(format!("keep {name}")).spawn(move || {
            // A child has the network of the thread that starts it.
            let entered = self.network.as_deref().map_or(Ok(()), network::enter);
            let mut child = match entered.and_then(|()| self.spawn()) {
                Ok(child) => child,
                Err(error) => {
                    drop(started.send(Err(error)));
                    return;
                }
            };
            drop(started.send(Ok(child.id())));
            ended.send_replace(child.wait().ok());
        })?;
        let pid = result.recv().context("the starting thread ended")??;
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).context("a pid is positive")?;
        Ok(Process { name, pid, stop, exit, keeper: Some(keeper) })
    }

    fn spawn(&self) -> Result<std::process::Child> {
        let mut command = self.command()?;
        let (Output::File(path) | Output::Watched { log: path, .. }) = &self.output;
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        match &self.output {
            Output::File(_) => command.stdout(file.try_clone()?).stderr(file.try_clone()?),
            Output::Watched { .. } => command.stdout(Stdio::piped()).stderr(Stdio::piped()),
        };
        let mut child = command.spawn().with_context(|| format!("cannot start {} by setpriv", self.name))?;
        if let Output::Watched { prefix, .. } = &self.output {
            watch_lines(prefix, file.try_clone()?, child.stdout.take())?;
            watch_lines(prefix, file, child.stderr.take())?;
        }
        Ok(child)
    }

    /// The command behind `setpriv`, which sets the death signal and the user.
    fn command(&self) -> Result<Command> {
        let input = self.input.as_ref().map_or(Ok(Stdio::null()), |path| File::open(path).map(Stdio::from))?;
        let mut command = Command::new("setpriv");
        let signal = if self.stop == Signal::INT { "INT" } else { "TERM" };
        command.args(["--pdeathsig", signal]);
        if let Some(user) = self.user {
            command.args(["--reuid", user, "--regid", user, "--init-groups"]);
        }
        command.arg("--");
        if let Some(library) = &self.preload {
            command.arg("env").arg(format!("LD_PRELOAD={}", library.display()));
        }
        command.arg(&self.program).args(&self.args);
        command.env_clear();
        for name in INHERITED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        // A separate process group: Ctrl-C reaches only this process, which stops the others in order.
        command.process_group(0).stdin(input);
        Ok(command)
    }
}

/// Whether the pid in the file is that of a living process which names `program` as its own or,
/// for a script that became another program, runs under our file's folder.
fn leads_to_a_process(pid_file: &Path, program: &Path) -> bool {
    let Ok(pid) = std::fs::read_to_string(pid_file) else { return false };
    let Ok(command) = std::fs::read(format!("/proc/{}/cmdline", pid.trim())) else { return false };
    let named = |text: &[u8]| command.windows(text.len()).any(|part| part == text);
    let folder = pid_file.parent().unwrap_or(Path::new("/"));
    named(program.as_os_str().as_encoded_bytes()) || named(folder.as_os_str().as_encoded_bytes())
}

/// Copies lines to the log until the process closes its end, and those that are not routine to our standard output.
fn watch_lines(prefix: &str, mut log: File, source: Option<impl std::io::Read + Send + 'static>) -> Result<()> {
    let source = source.context("the output is piped")?;
    let prefix = prefix.to_owned();
    thread::Builder::new().name("watch lines".to_owned()).spawn(move || {
        let mut lines = BufReader::new(source).split(b'\n');
        while let Some(Ok(mut line)) = lines.next() {
            line.push(b'\n');
            // Keep reading despite a full disk or a closed standard output; otherwise the process would block.
            drop(log.write_all(&line));
            if !is_routine(&line) {
                drop(std::io::stdout().lock().write_all(&[prefix.as_bytes(), &line].concat()));
            }
        }
    })?;
    Ok(())
}

/// Whether a line is a log record below the level of a warning. Everything else, such as the text of a panic, is not.
fn is_routine(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let starts_with_a_time = words.next().and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit);
    starts_with_a_time && matches!(words.next(), Some(b"INFO" | b"DEBUG" | b"TRACE"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(script: &str, folder: &Path) -> Process {
        Launch::new("script", "sh", Output::File(folder.join("log"))).args(["-c", script]).start().expect("started")
    }

    #[tokio::test]
    async fn its_end_and_status_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let process = launch("echo said; exit 7", folder.path());
        assert_eq!(process.wait().await.expect("ended").code(), Some(7));
        assert!(!process.is_running());
        assert_eq!(std::fs::read_to_string(folder.path().join("log")).expect("a log"), "said\n");
    }

    #[tokio::test]
    async fn a_stopped_process_still_ends_when_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let process = launch("sleep 60", folder.path());
        process.signal(Signal::STOP).expect("stopped");
        assert!(process.is_running());
        process.terminate().await.expect("ended in time");
    }

    #[test]
    fn dropping_it_ends_it_with_its_children() {
        let folder = tempfile::tempdir().expect("a folder");
        let pids = folder.path().join("pids");
        let process = launch(&format!("sleep 60 & echo $! > {}; wait", pids.display()), folder.path());
        let child = loop {
            match std::fs::read_to_string(&pids) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => thread::yield_now(),
            }
        };
        drop(process);
        let gone = || {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            state.is_empty() || state.contains(") Z ") || state.contains(") X ")
        };
        let limit = std::time::Instant::now() + PATIENCE;
        while !gone() {
            assert!(std::time::Instant::now() < limit, "the child still runs");
            thread::yield_now();
        }
    }

    /// [D-X1] The log has every line; the terminal has warnings, errors and lines that are not log records.
    #[test]
    fn a_warning_is_shown_and_an_information_is_not() {
        let shown = |line: &str| !is_routine(line.as_bytes());
        assert!(!shown("2026-11-23T02:00:00.000000Z  INFO listening addr=127.0.0.1:1"));
        assert!(!shown("2026-11-23T02:00:00.000000Z DEBUG 2 WARN words"));
        assert!(shown("2026-11-23T02:00:00.000000Z  WARN STAFF_TOTP is off"));
        assert!(shown("2026-11-23T02:00:00.000000Z ERROR the ledger does not balance"));
        assert!(shown("thread 'main' panicked at src/main.rs:1:1:"));
        assert!(shown(""));
    }

    #[tokio::test]
    async fn a_watched_process_writes_its_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let output = Output::Watched { log: log.clone(), prefix: "script ".to_owned() };
        let process = Launch::new("script", "sh", output).args(["-c", "echo '1 INFO one'; echo '1 INFO two' >&2"]);
        process.start().expect("started").wait().await.expect("ended");
        let limit = std::time::Instant::now() + PATIENCE;
        let read = || std::fs::read_to_string(&log).expect("a log");
        while read().lines().count() < 2 {
            assert!(std::time::Instant::now() < limit, "{}", read());
            thread::yield_now();
        }
    }

    #[tokio::test]
    async fn only_the_named_environment_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let process = launch("env", folder.path());
        process.wait().await.expect("ended");
        let seen = std::fs::read_to_string(folder.path().join("log")).expect("a log");
        assert!(!seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
    }
}
