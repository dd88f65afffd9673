//! Settings of the processes of this service, from the environment.

use std::path::PathBuf;

use chassis::config::{Ops, VerifyingService};
use clap::{Args, Parser};

use crate::domain::media::Limits;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: VerifyingService,
    /// Where wallet answers gRPC.
    #[arg(long, env)]
    pub wallet_url: String,
    /// The size of the largest video that can be uploaded, in MB.
    #[arg(long, env, default_value_t = 4_295)]
    pub video_limit_mb: u32,
    /// The size of the largest attachment that can be uploaded, in MB.
    #[arg(long, env, default_value_t = 100)]
    pub attachment_limit_mb: u32,
}

impl Config {
    #[must_use]
    pub fn limits(&self) -> Limits {
        let bytes = |mb: u32| i64::from(mb) * 1_000_000;
        Limits { video_bytes: bytes(self.video_limit_mb), attachment_bytes: bytes(self.attachment_limit_mb) }
    }
}

/// Settings of the media worker.
#[derive(Debug, Clone, Args)]
pub struct WorkerConfig {
    #[command(flatten)]
    pub ops: Ops,
    /// PostgreSQL, with the role of the worker, which sees the rows of files alone.
    #[arg(long, env, hide_env_values = true)]
    pub database_url: String,
    /// The object store of the gateway: `file:///folder` or `s3://bucket` (with AWS_* settings).
    #[arg(long, env)]
    pub files_url: String,
    /// The folder for files while they are processed: up to five times the largest video.
    #[arg(long, env, default_value_os_t = std::env::temp_dir())]
    pub work_dir: PathBuf,
    /// Threads of ffmpeg.
    #[arg(long, env, default_value_t = 2)]
    pub transcode_threads: u32,
    #[command(flatten)]
    pub programs: Programs,
    /// The socket of `course sandbox`, which runs ffmpeg elsewhere. Without it, ffmpeg runs here.
    #[arg(long, env)]
    pub sandbox_socket: Option<PathBuf>,
    /// Days for which the uploaded file of a video is kept once it is ready.
    #[arg(long, env, default_value_t = 14)]
    pub source_days: u32,
}

/// Settings of the process that runs ffmpeg for the media worker.
#[derive(Debug, Clone, Args)]
pub struct SandboxConfig {
    #[command(flatten)]
    pub ops: Ops,
    #[command(flatten)]
    pub programs: Programs,
    /// The socket on which the worker asks. Its folder and that of the files are shared with the worker.
    #[arg(long, env)]
    pub sandbox_socket: PathBuf,
}

/// Limits of ffmpeg.
#[derive(Debug, Clone, Copy, Args)]
pub struct Programs {
    /// The address space of ffmpeg in MB, which is more than the memory that it uses.
    #[arg(long, env, default_value_t = 4_096)]
    pub transcode_memory_mb: u64,
    /// The size of the largest file that ffmpeg may write, in MB.
    #[arg(long, env, default_value_t = 8_192)]
    pub transcode_file_mb: u64,
}
