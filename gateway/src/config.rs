//! The gateway's settings; with `main.rs` the only reader of the environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use chassis::config::{Keys, Ops};
use clap::Args;
use ipnet::IpNet;

/// Settings of the gateway.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Logs, traces, metrics, health.
    #[command(flatten)]
    pub ops: Ops,
    /// Keys.
    #[command(flatten)]
    pub keys: Keys,
    /// Where members are served.
    #[arg(long, env, default_value = "127.0.0.1:8080")]
    pub http_addr: SocketAddr,
    /// The address members know; links are built from it alone.
    #[arg(long, env, default_value = "http://127.0.0.1:8080")]
    pub public_url: String,
    /// The built web app; without it only the API is served.
    #[arg(long, env)]
    pub web_dir: Option<PathBuf>,
    /// The course's files.
    #[arg(long, env)]
    pub course_dir: PathBuf,
    /// The object store: `file:///folder` or `s3://bucket` (with AWS_* settings).
    #[arg(long, env)]
    pub files_url: String,
    /// Key of the signatures of receipt links.
    #[arg(long, env)]
    pub link_key_file: PathBuf,
    /// gRPC of auth.
    #[arg(long, env)]
    pub auth_url: String,
    /// gRPC of wallet.
    #[arg(long, env)]
    pub wallet_url: String,
    /// gRPC of trade.
    #[arg(long, env)]
    pub trade_url: String,
    /// gRPC of payment-method.
    #[arg(long, env)]
    pub payment_method_url: String,
    /// gRPC of mailer.
    #[arg(long, env)]
    pub mailer_url: String,
    /// RabbitMQ, for live updates; without it clients poll.
    #[arg(long, env, hide_env_values = true)]
    pub amqp_url: Option<String>,
    /// Other origins whose pages may call the API.
    #[arg(long, env, value_delimiter = ',')]
    pub cors_origins: Vec<String>,
    /// Proxies whose X-Forwarded-For is believed.
    #[arg(long, env, value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,
    /// Requests a second that one address may make on average; 0 for no limit.
    #[arg(long, env, default_value_t = 50)]
    pub rate_limit: u32,
    /// Session requests (login, register, codes, resets) a minute that one address may make; 0 for no limit.
    #[arg(long, env, default_value_t = 60)]
    pub session_rate_limit: u32,
    /// Connections that one address may have open, trusted proxies aside; 0 for no limit.
    #[arg(long, env, default_value_t = 64)]
    pub connections_per_address: u32,
    /// Where longer request bodies are received, in files without a name.
    #[arg(long, env, default_value_os_t = std::env::temp_dir())]
    pub spool_dir: PathBuf,
}
