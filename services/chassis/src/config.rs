//! Settings of every process, from flags or the environment, with the same names everywhere.

use std::net::SocketAddr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::prefix::PrefixStore;
use x509_parser::pem::parse_x509_pem;

use crate::identity::{Accepts, Credential, Signatures};
use crate::keys::{SigningKey, TrustedKeys};

/// After so long a client of a gRPC server is asked to reconnect, unless the configuration says otherwise: so new replicas get
/// their share of the calls.
pub const CONNECTION_AGE: Duration = Duration::from_mins(5);

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for a terminal.
    Human,
    /// One JSON object a line.
    Json,
}

/// Logs, traces, metrics, health.
#[derive(Debug, Clone, Args)]
pub struct Ops {
    /// Where /metrics, /healthz and /readyz are served.
    #[arg(long, env, default_value = "127.0.0.1:0")]
    pub ops_addr: SocketAddr,
    /// human or json.
    #[arg(long, env, value_enum, default_value = "human")]
    pub log_format: LogFormat,
    /// OTLP over gRPC; no traces are sent without it.
    #[arg(long, env)]
    pub otel_exporter_otlp_endpoint: Option<String>,
    /// For so long after SIGTERM the process still takes requests, while it says that it is not ready: as long as a load
    /// balancer in front needs to notice.
    #[arg(long, env, default_value_t = 0)]
    pub shutdown_delay_seconds: u64,
    /// Where tests arm places at which the process dies.
    #[cfg(feature = "crash-points")]
    #[arg(long, env, hide = true)]
    pub crash_points_dir: Option<PathBuf>,
}

/// The gRPC server.
#[derive(Debug, Clone, Args)]
pub struct Grpc {
    /// Where gRPC is served.
    #[arg(long, env)]
    pub grpc_addr: SocketAddr,
    /// After so long a connection is drained, and its client reconnects.
    #[arg(long, env, default_value_t = CONNECTION_AGE.as_secs())]
    pub grpc_connection_age_seconds: u64,
}

impl Grpc {
    /// After so long a connection is drained, and its client reconnects.
    #[must_use]
    pub fn connection_age(&self) -> Duration {
        Duration::from_secs(self.grpc_connection_age_seconds)
    }
}

/// The database and the broker.
#[derive(Debug, Clone, Args)]
pub struct Storage {
    /// PostgreSQL, with the service's own role.
    #[arg(long, env, hide_env_values = true)]
    pub database_url: String,
    /// Maximum connections.
    #[arg(long, env, default_value_t = 8)]
    pub database_connections: u32,
    /// RabbitMQ, with the service's own user.
    #[arg(long, env, hide_env_values = true)]
    pub amqp_url: String,
    /// Where signed roots go: a store outside the database in which nothing can be overwritten. `file:///folder`, or the
    /// url of an object store.
    #[arg(long, env)]
    pub roots_url: Option<String>,
}

impl Storage {
    /// The store of signed roots, if there is one.
    ///
    /// # Errors
    /// If the url names none.
    pub fn roots(&self) -> anyhow::Result<Option<Arc<dyn ObjectStore>>> {
        self.roots_url.as_deref().filter(|url| !url.is_empty()).map(object_store).transpose()
    }
}

/// The service's own key and the keys it trusts.
#[derive(Debug, Clone, Args)]
pub struct Keys {
    /// The private key of this service's credential.
    #[arg(long, env)]
    pub service_key_file: PathBuf,
    /// The public keys that are trusted.
    #[arg(long, env)]
    pub trusted_keys_file: PathBuf,
}

impl Keys {
    /// The credential of the service with this name.
    ///
    /// # Errors
    /// If the file holds no key.
    pub fn credential(&self, service: &str) -> anyhow::Result<Credential> {
        Ok(Credential::new(service, SigningKey::read(&self.service_key_file)?))
    }

    /// The trusted public keys.
    ///
    /// # Errors
    /// If the file holds none.
    pub fn trusted(&self) -> anyhow::Result<Arc<TrustedKeys>> {
        Ok(Arc::new(TrustedKeys::read(&self.trusted_keys_file)?))
    }
}

/// TLS between the processes of a deployment: each shows a certificate of one authority, as a server and as a client.
#[derive(Debug, Clone, Default, Args)]
pub struct Tls {
    /// The certificate of the authority, in PEM. Required for urls that begin with `https://` or `amqps://`.
    #[arg(long, env)]
    pub tls_ca_file: Option<PathBuf>,
    /// The process's own certificate, in PEM. With it, gRPC is served with TLS, to clients of the same authority only.
    #[arg(long, env, requires_all = ["tls_ca_file", "tls_key_file"])]
    pub tls_cert_file: Option<PathBuf>,
    /// The private key of that certificate, in PEM.
    #[arg(long, env)]
    pub tls_key_file: Option<PathBuf>,
}

impl Tls {
    /// The certificate of the authority, in PEM.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn authority(&self) -> anyhow::Result<Option<String>> {
        self.tls_ca_file.as_deref().map(read).transpose()
    }

    /// When the process's own certificate ends, in seconds since 1970. `None` without one.
    ///
    /// # Errors
    /// If the file cannot be read or has no certificate.
    pub fn ends_at(&self) -> anyhow::Result<Option<i64>> {
        let Some(file) = &self.tls_cert_file else { return Ok(None) };
        let (_, pem) = parse_x509_pem(read(file)?.as_bytes())
            .with_context(|| format!("{} has no certificate in PEM", file.display()))?;
        let certificate = pem.parse_x509().with_context(|| format!("{} has no certificate", file.display()))?;
        Ok(Some(certificate.validity().not_after.timestamp()))
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// What every service takes.
#[derive(Debug, Clone, Args)]
pub struct Service {
    /// Logs, traces, metrics, health.
    #[command(flatten)]
    pub ops: Ops,
    /// The gRPC server.
    #[command(flatten)]
    pub grpc: Grpc,
    /// The database and the broker.
    #[command(flatten)]
    pub storage: Storage,
    /// The service's own key and the keys it trusts.
    #[command(flatten)]
    pub keys: Keys,
    /// TLS between the processes of a deployment.
    #[command(flatten)]
    pub tls: Tls,
}

impl Service {
    /// Reads who calls the service with this name.
    ///
    /// # Errors
    /// If the file of trusted keys holds none.
    pub fn signatures(&self, service: &'static str) -> anyhow::Result<Signatures> {
        Ok(Signatures::new(self.keys.trusted()?, Accepts::CallsTo(service)))
    }
}

/// The settings of services that verify callers through auth: all but auth itself.
#[derive(Debug, Clone, Args)]
pub struct VerifyingService {
    /// What every service takes.
    #[command(flatten)]
    pub base: Service,
    /// Where auth answers gRPC.
    #[arg(long, env)]
    pub auth_url: String,
}

impl Deref for VerifyingService {
    type Target = Service;
    fn deref(&self) -> &Service {
        &self.base
    }
}

/// The store at a url: `file:///folder`, made if it is missing, or what the library reads from the url and AWS_* settings.
///
/// # Errors
/// If there is no such store.
pub fn object_store(url: &str) -> anyhow::Result<Arc<dyn ObjectStore>> {
    if let Some(folder) = url.strip_prefix("file://") {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {folder}"))?;
        return Ok(Arc::new(LocalFileSystem::new_with_prefix(folder)?));
    }
    let (store, prefix) = object_store::parse_url_opts(&url.parse()?, std::env::vars())?;
    Ok(Arc::new(PrefixStore::new(store, prefix)))
}
