//! Runs a program on a file that a stranger may have made: as a user without rights, with limits of time, memory, files and
//! open files, at low priority, and without a network where the kernel lets this process take it away. The program dies
//! with this process.

use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

/// The user and group without rights.
const NOBODY: u32 = 65_534;
/// Bytes of what a program writes that are kept.
pub(super) const OUTPUT: usize = 1024 * 1024;

/// How long a program may run and compute.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    pub time: Duration,
    pub cpu: Duration,
}

/// How a program ended.
#[derive(Debug)]
pub struct Outcome {
    /// Unset if its time was over.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    /// The last of it.
    pub stderr: Vec<u8>,
}

/// The part of the limits that all programs share.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// Whether this process is root, and can become another user.
    is_root: bool,
    /// The command that takes the network away, if it works here.
    no_network: Vec<String>,
    memory_bytes: u64,
    file_bytes: u64,
}

impl Sandbox {
    /// Finds out what this process may do. Memory is address space, which is more than a program uses.
    ///
    /// # Errors
    /// If ffmpeg or the programs that limit it are not installed.
    pub async fn new(memory_bytes: u64, file_bytes: u64) -> anyhow::Result<Self> {
        for program in ["ffmpeg", "ffprobe", "prlimit", "setpriv", "unshare"] {
            let argument = if program.starts_with("ff") { "-version" } else { "--version" };
            let run = Command::new(program).arg(argument).stdout(Stdio::null()).status().await;
            let is_there = run.with_context(|| format!("{program} is not installed"))?.success();
            anyhow::ensure!(is_there, "{program} does not work");
        }
        let is_root = rustix::process::geteuid().is_root();
        let wanted: &[&str] = if is_root {
            &["unshare", "--net", "--"]
        } else {
            &["unshare", "--user", "--map-current-user", "--net", "--"]
        };
        let mut probe = Command::new(wanted[0]);
        probe.args(&wanted[1..]).arg("true").stdout(Stdio::null()).stderr(Stdio::null());
        let may = probe.status().await.is_ok_and(|status| status.success());
        if !may {
            tracing::warn!(
                "the network of ffmpeg is not taken away here: a policy outside of this process has to do it"
            );
        }
        let no_network = if may { wanted.iter().map(|part| (*part).to_owned()).collect() } else { Vec::new() };
        Ok(Self { is_root, no_network, memory_bytes, file_bytes })
    }

    /// Lets the program write into a folder.
    ///
    /// # Errors
    /// If the folder belongs to another user.
    pub fn give(&self, folder: &Path) -> std::io::Result<()> {
        if self.is_root {
            chown(folder, Some(NOBODY), Some(NOBODY))?;
        }
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
    }

    /// Runs a program in a folder and passes on each line that it writes to stdout.
    ///
    /// # Errors
    /// If it cannot be started.
    pub async fn run(
        &self,
        program: &str,
        args: &[String],
        folder: &Path,
        limits: Limits,
        told: &(dyn Fn(&str) + Send + Sync),
    ) -> anyhow::Result<Outcome> {
        let mut command = self.command(program, limits);
        command.args(args).current_dir(folder).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("HOME", "/nonexistent").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().with_context(|| format!("cannot start {program}"))?;
        let stdout = child.stdout.take().context("no stdout")?;
        let stderr = child.stderr.take().context("no stderr")?;
        let work = async { tokio::join!(child.wait(), lines(stdout, told), last(stderr)) };
        if let Ok((status, stdout, stderr)) = timeout(limits.time, work).await {
            return Ok(Outcome { status: Some(status?), stdout, stderr });
        }
        child.kill().await?;
        Ok(Outcome { status: None, stdout: Vec::new(), stderr: Vec::new() })
    }

    /// The program behind those that limit it. Each replaces itself by the next, so that there is one process.
    fn command(&self, program: &str, limits: Limits) -> Command {
        let mut words = self.no_network.clone();
        words.extend(["setpriv", "--no-new-privs", "--pdeathsig", "KILL"].map(str::to_owned));
        if self.is_root {
            words.extend([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
            words.extend(["--clear-groups", "--inh-caps=-all", "--bounding-set=-all"].map(str::to_owned));
        }
        words.extend(["prlimit".to_owned(), "--core=0".to_owned(), "--nofile=256".to_owned()]);
        words.extend([format!("--as={}", self.memory_bytes), format!("--fsize={}", self.file_bytes)]);
        words.extend([format!("--cpu={}", limits.cpu.as_secs()), "nice".to_owned(), "-n".to_owned(), "5".to_owned()]);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(program);
        command
    }
}

/// Opens a file that a program wrote. It may be anything: a link to what the program must not read, or a pipe without an end.
///
/// # Errors
/// If it is no file.
pub async fn open(path: &Path) -> std::io::Result<tokio::fs::File> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).map_err(std::io::Error::other)?;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file.into())
    } else {
        Err(std::io::Error::other(format!("{} is no file", path.display())))
    }
}

/// Reads lines to the end, passes each on, and keeps the first of them.
async fn lines(stdout: impl AsyncRead + Unpin, told: &(dyn Fn(&str) + Send + Sync)) -> Vec<u8> {
    let (mut kept, mut reader) = (Vec::new(), BufReader::new(stdout));
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(64 * 1024).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return kept,
            Ok(_) => {
                told(String::from_utf8_lossy(&line).trim());
                if kept.len() + line.len() <= OUTPUT {
                    kept.extend_from_slice(&line);
                }
            }
        }
    }
}

/// Reads to the end and keeps the last of it.
async fn last(mut stderr: impl AsyncRead + Unpin) -> Vec<u8> {
    let (mut kept, mut buffer) = (Vec::new(), vec![0; 16 * 1024]);
    while let Ok(count) = stderr.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        kept.extend_from_slice(&buffer[..count]);
        if kept.len() > 2 * 64 * 1024 {
            kept.drain(..kept.len() - 64 * 1024);
        }
    }
    kept
}
