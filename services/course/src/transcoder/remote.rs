//! Runs the programs of the transcoder in another container, which has no secret, no network and another user: `course
//! sandbox` serves a socket, on which the worker asks for one program a connection. They share a folder, under any path.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::sandbox::{Limits, OUTPUT, Outcome, Sandbox};

/// The longest message.
const MESSAGE: u64 = 1024 * 1024;
/// What the other side may take beyond the time of the program.
const MARGIN: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
struct Order {
    program: String,
    args: Vec<String>,
    folder: PathBuf,
    limits: Limits,
}

#[derive(Serialize, Deserialize)]
enum Reply {
    /// One that the program wrote to stdout.
    Line(String),
    /// The status as the kernel gives it; none if the time was over.
    End {
        status: Option<i32>,
        stderr: String,
    },
    NotStarted(String),
}

/// The worker's side.
#[derive(Debug)]
pub struct Remote {
    socket: PathBuf,
    /// The shared folder, as both sides name it.
    folder: PathBuf,
    /// The same for this process alone: the other side can rename and link what is in the shared folder, but not this.
    opened: File,
}

impl Remote {
    /// Works in a folder of its own in `work`, which both sides see under this path.
    ///
    /// # Errors
    /// If that folder belongs to another user.
    pub fn new(socket: PathBuf, work: &Path) -> anyhow::Result<Self> {
        let folder = work.join("jobs");
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let opened = std::fs::OpenOptions::new().read(true).custom_flags(i32::try_from(flags.bits())?).open(&folder)?;
        let is_own = opened.metadata()?.uid() == rustix::process::geteuid().as_raw();
        ensure!(is_own, "{} belongs to another user", folder.display());
        Ok(Self { socket, folder, opened })
    }

    /// The shared folder, for this process.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.opened.as_raw_fd()).into()
    }

    /// Lets the other side, which may run its programs as another user, write into a folder that no other process sees.
    pub(super) fn give(folder: &Path) -> std::io::Result<()> {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777))
    }

    pub(super) async fn run(
        &self,
        program: &str,
        args: &[String],
        folder: &Path,
        limits: Limits,
        told: &(dyn Fn(&str) + Send + Sync),
    ) -> anyhow::Result<Outcome> {
        let folder = self.folder.join(folder.strip_prefix(self.folder())?);
        let order = Order { program: program.to_owned(), args: args.to_owned(), folder, limits };
        timeout(limits.time + MARGIN, self.ask(&order, told)).await.context("the sandbox does not answer")?
    }

    async fn ask(&self, order: &Order, told: &(dyn Fn(&str) + Send + Sync)) -> anyhow::Result<Outcome> {
        let mut stream = UnixStream::connect(&self.socket).await.context("cannot reach the sandbox")?;
        send(&mut stream, order).await?;
        let mut replies = BufReader::new(stream);
        let mut stdout = Vec::new();
        loop {
            match receive(&mut replies).await?.context("the sandbox ended")? {
                Reply::Line(line) => {
                    told(line.trim());
                    if stdout.len() + line.len() <= OUTPUT {
                        stdout.extend_from_slice(line.as_bytes());
                    }
                }
                Reply::End { status, stderr } => {
                    return Ok(Outcome { status: status.map(ExitStatus::from_raw), stdout, stderr: stderr.into() });
                }
                Reply::NotStarted(error) => bail!("the sandbox: {error}"),
            }
        }
    }
}

/// The other side: answers on a socket until shutdown. A program whose worker is gone is killed.
///
/// # Errors
/// If the socket cannot be made.
pub async fn serve(sandbox: Sandbox, socket: &Path, shutdown: CancellationToken) -> anyhow::Result<()> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let listener = UnixListener::bind(socket).with_context(|| format!("cannot listen on {}", socket.display()))?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o660))?;
    while let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await {
        let (stream, _) = accepted?;
        let sandbox = sandbox.clone();
        tokio::spawn(async move {
            if let Err(error) = answer(&sandbox, stream).await {
                tracing::warn!(error = %format!("{error:#}"), "the worker is not answered");
            }
        });
    }
    Ok(())
}

async fn answer(sandbox: &Sandbox, stream: UnixStream) -> anyhow::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let Some(order) = receive::<Order>(&mut reader).await? else { return Ok(()) };
    ensure!(["ffmpeg", "ffprobe"].contains(&order.program.as_str()), "{} is no program of ours", order.program);
    let (sender, mut lines) = mpsc::unbounded_channel();
    let told = |line: &str| drop(sender.send(format!("{line}\n")));
    let mut run = pin!(sandbox.run(&order.program, &order.args, &order.folder, order.limits, &told));
    // The worker sends nothing more: what comes is the end of the connection.
    let mut gone = pin!(reader.read_u8());
    let outcome = loop {
        tokio::select! {
            biased;
            Some(line) = lines.recv() => send(&mut writer, &Reply::Line(line)).await?,
            outcome = &mut run => break outcome,
            _ = &mut gone => return Ok(()),
        }
    };
    while let Ok(line) = lines.try_recv() {
        send(&mut writer, &Reply::Line(line)).await?;
    }
    let reply = match outcome {
        Ok(Outcome { status, stderr, .. }) => Reply::End {
            status: status.map(ExitStatusExt::into_raw),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        },
        Err(error) => Reply::NotStarted(format!("{error:#}")),
    };
    send(&mut writer, &reply).await
}

async fn send(writer: &mut (impl AsyncWrite + Unpin), message: &impl Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(writer.write_all(&line).await?)
}

/// The next message; none at the end.
async fn receive<T: DeserializeOwned>(reader: &mut (impl AsyncBufRead + Unpin)) -> anyhow::Result<Option<T>> {
    let mut line = Vec::new();
    reader.take(MESSAGE).read_until(b'\n', &mut line).await?;
    if line.is_empty() { Ok(None) } else { Ok(Some(serde_json::from_slice(&line)?)) }
}
