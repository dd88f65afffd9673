//! The lifecycle of a process: it starts before or after its dependencies, reports when it is ready, and on SIGTERM first
//! says that it is not, and then stops within ten seconds without dropping accepted requests.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use futures::future::join_all;
use metrics_exporter_prometheus::PrometheusHandle;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

use crate::bus::{Bus, Handler};
use crate::config::{self, Ops};
use crate::db::{Buckets, Db};
use crate::keys::SigningKey;
use crate::roots::{Covers, Exporter};
use crate::telemetry::{self, Telemetry};
use crate::{dead_letter, grpc, idempotency, inbox, outbox};

/// What every binary sets as its global allocator: a fifth of the gateway's time was spent in that of libc.
pub use mimalloc::MiMalloc as Allocator;

/// How long a process may take to end.
const DRAIN: Duration = Duration::from_secs(10);
/// How often durations are put into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// What a process stands on, and the tasks that make it up.
pub struct Process {
    name: &'static str,
    telemetry: Telemetry,
    /// Cancelled when the process stops accepting: after SIGTERM or SIGINT and the delay that is configured.
    pub shutdown: CancellationToken,
    /// Cancelled at the signal: no longer ready.
    pub leaving: CancellationToken,
    tasks: JoinSet<anyhow::Result<()>>,
    dependencies: Dependencies,
    watched: Vec<Watch>,
}

/// Says whether a task goes on.
type Watch = Box<dyn Fn() -> bool + Send + Sync>;

#[derive(Clone, Default)]
struct Dependencies {
    /// Of each bucket.
    dbs: Vec<Db>,
    bus: Option<Bus>,
}

impl Process {
    /// Starts telemetry and listens for signals.
    ///
    /// # Errors
    /// If either cannot be set up.
    pub fn start(name: &'static str, ops: &Ops) -> anyhow::Result<Self> {
        // Libraries of this workspace bring two providers, and rustls chooses none by itself. One that is set already is fine.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let telemetry = telemetry::start(name, ops)?;
        raise_file_limit();
        #[cfg(feature = "crash-points")]
        if let Some(folder) = &ops.crash_points_dir {
            crate::crash::watch(folder.clone());
        }
        let (leaving, shutdown) = (CancellationToken::new(), CancellationToken::new());
        let delay = Duration::from_secs(ops.shutdown_delay_seconds);
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let (signalled, stop) = (leaving.clone(), shutdown.clone());
        tokio::spawn(async move {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            tracing::info!("not ready any more");
            signalled.cancel();
            tokio::time::sleep(delay).await;
            tracing::info!("shutting down");
            stop.cancel();
        });
        Ok(Self {
            name,
            telemetry,
            shutdown,
            leaving,
            tasks: JoinSet::new(),
            dependencies: Dependencies::default(),
            watched: Vec::new(),
        })
    }

    /// Starts a service: telemetry, its database and broker with the relay of the outbox and the sweeps, and the export of
    /// signed roots.
    ///
    /// # Errors
    /// If a setting is not what it should be.
    pub fn of_service(
        name: &'static str,
        settings: &config::Service,
        covers: Covers,
    ) -> anyhow::Result<(Self, Db, Bus)> {
        let (process, mut dbs, bus) = Self::of_service_in_buckets(name, settings, covers, Buckets::ONE)?;
        Ok((process, dbs.swap_remove(0), bus))
    }

    /// The same for one whose database is divided: a database for each bucket, with its relay and sweeps.
    ///
    /// # Errors
    /// If a setting is not what it should be.
    pub fn of_service_in_buckets(
        name: &'static str,
        settings: &config::Service,
        covers: Covers,
        buckets: Buckets,
    ) -> anyhow::Result<(Self, Vec<Db>, Bus)> {
        let mut process = Self::start(name, &settings.ops)?;
        let (dbs, bus) = process.storage(settings, buckets)?;
        if let Some(first) = dbs.first() {
            process.export_roots(first, settings, covers)?;
        }
        Ok((process, dbs, bus))
    }

    /// A database that this process is not ready without, for one that publishes and consumes no events.
    ///
    /// # Errors
    /// If the url is malformed.
    pub fn database(&mut self, url: &str, connections: u32) -> anyhow::Result<Db> {
        let db = Db::connect_lazy(url, connections)?;
        self.dependencies.dbs = vec![db.clone()];
        Ok(db)
    }

    fn storage(&mut self, settings: &config::Service, buckets: Buckets) -> anyhow::Result<(Vec<Db>, Bus)> {
        let storage = &settings.storage;
        let dbs = Db::connect_buckets(&storage.database_url, storage.database_connections, buckets)?;
        let bus = Bus::new(&storage.amqp_url).trusting(settings.tls.authority()?);
        for db in &dbs {
            let (relay_db, relay_bus, name, shutdown) = (db.clone(), bus.clone(), self.name, self.shutdown.clone());
            self.spawn(async move {
                outbox::relay::run(relay_db, relay_bus, name, shutdown).await;
                Ok(())
            });
            self.spawn(sweep(db.clone(), self.shutdown.clone()));
        }
        self.dependencies = Dependencies { dbs: dbs.clone(), bus: Some(bus.clone()) };
        Ok((dbs, bus))
    }

    fn export_roots(&mut self, db: &Db, settings: &config::Service, covers: Covers) -> anyhow::Result<()> {
        let Some(store) = settings.storage.roots()? else {
            tracing::warn!("ROOTS_URL is not set: signed roots are not exported");
            metrics::gauge!("roots_exported_at").set(0);
            return Ok(());
        };
        let exporter = Exporter {
            service: self.name,
            db: db.clone(),
            store,
            key: SigningKey::read(&settings.keys.service_key_file)?,
            covers,
        };
        let shutdown = self.shutdown.clone();
        self.spawn(async move {
            exporter.run(shutdown).await;
            Ok(())
        });
        Ok(())
    }

    /// Consumes a queue of the topology until shutdown.
    pub fn consume(&mut self, bus: &Bus, queue: &'static str, handler: Arc<dyn Handler>) {
        let (bus, shutdown) = (bus.clone(), self.shutdown.clone());
        self.spawn(async move {
            bus.consume(queue, handler, shutdown).await;
            Ok(())
        });
    }

    /// Serves these gRPC routes, and the standard health service, until shutdown.
    ///
    /// # Errors
    /// If the address cannot be bound, or a file of its certificate cannot be read.
    pub async fn serve(&mut self, settings: &config::Service, routes: Routes) -> anyhow::Result<()> {
        let (age, tls) = (settings.grpc.connection_age(), grpc::Certificates::read(&settings.tls)?);
        let listener = grpc::bind(settings.grpc.grpc_addr).await?;
        let (_, health) = tonic_health::server::health_reporter();
        self.spawn(grpc::serve(listener, routes.add_service(health), age, tls, self.shutdown.clone()));
        Ok(())
    }

    /// A task that ends at shutdown. If it ends before, or fails, the process ends.
    pub fn spawn(&mut self, task: impl Future<Output = anyhow::Result<()>> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Liveness fails while this says that a task is stuck.
    pub fn watch(&mut self, is_alive: impl Fn() -> bool + Send + Sync + 'static) {
        self.watched.push(Box::new(is_alive));
    }

    /// Serves health and metrics, and runs until shutdown or until a task fails.
    ///
    /// # Errors
    /// The failed task's.
    pub async fn run(mut self, ops: &Ops) -> anyhow::Result<()> {
        let listener = grpc::bind(ops.ops_addr).await?;
        let state = OpsState {
            metrics: self.telemetry.metrics.clone(),
            shutdown: self.shutdown.clone(),
            leaving: self.leaving.clone(),
            dependencies: self.dependencies.clone(),
            tasks: Arc::new(std::mem::take(&mut self.watched)),
        };
        // It outlives the shutdown, to answer "not ready" while the rest drains.
        let server = tokio::spawn(serve_ops(listener, state));
        let upkeep = tokio::spawn(keep_up(self.telemetry.metrics.clone()));
        tracing::info!(ops = %ops.ops_addr, "started");
        let mut failure = None;
        while let Some(ended) = self.tasks.join_next().await {
            let result = ended.map_err(anyhow::Error::from).flatten();
            if !self.shutdown.is_cancelled() {
                let error = result.err().unwrap_or_else(|| anyhow::anyhow!("a task ended early"));
                tracing::error!(error = %format!("{error:#}"), "ending");
                failure = Some(error);
                self.shutdown.cancel();
            }
            if self.shutdown.is_cancelled() {
                break;
            }
        }
        let drained = tokio::time::timeout(DRAIN, async { while self.tasks.join_next().await.is_some() {} }).await;
        if drained.is_err() {
            tracing::warn!("some tasks did not stop in time");
        }
        server.abort();
        upkeep.abort();
        let close = join_all(self.dependencies.dbs.iter().map(Db::close));
        let _ = tokio::time::timeout(Duration::from_secs(1), close).await;
        self.telemetry.flush();
        failure.map_or(Ok(()), Err)
    }
}

/// Puts durations into their buckets: until then each is kept by itself, however many there are.
async fn keep_up(metrics: PrometheusHandle) {
    loop {
        tokio::time::sleep(UPKEEP).await;
        metrics.run_upkeep();
    }
}

#[derive(Clone)]
struct OpsState {
    metrics: PrometheusHandle,
    shutdown: CancellationToken,
    leaving: CancellationToken,
    dependencies: Dependencies,
    tasks: Arc<Vec<Watch>>,
}

async fn serve_ops(listener: TcpListener, state: OpsState) -> std::io::Result<()> {
    let router = Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(state);
    axum::serve(listener, router).await
}

/// Alive unless a task is stuck, which only a restart mends: it depends on nothing outside the process.
async fn alive(State(state): State<OpsState>) -> (StatusCode, &'static str) {
    if state.tasks.iter().all(|is_alive| is_alive()) {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "stuck")
    }
}

/// Ready when the database and the broker answer and no shutdown was asked for.
async fn ready(State(state): State<OpsState>) -> (StatusCode, &'static str) {
    if state.leaving.is_cancelled() || state.shutdown.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down");
    }
    if join_all(state.dependencies.dbs.iter().map(Db::is_up)).await.contains(&false) {
        return (StatusCode::SERVICE_UNAVAILABLE, "no database");
    }
    if state.dependencies.bus.as_ref().is_some_and(|bus| !bus.is_up()) {
        return (StatusCode::SERVICE_UNAVAILABLE, "no broker");
    }
    (StatusCode::OK, "ready")
}

async fn metrics(State(state): State<OpsState>) -> String {
    join_all(state.dependencies.dbs.iter().map(measure)).await;
    state.metrics.render()
}

/// Sets the gauges of a bucket's connections and of what waits in its database.
async fn measure(db: &Db) {
    let (bucket, usage) = (db.home().bucket.to_string(), db.usage());
    metrics::gauge!("db_pool_connections", "bucket" => bucket.clone()).set(usage.open);
    metrics::gauge!("db_pool_idle_connections", "bucket" => bucket.clone()).set(usage.idle);
    metrics::gauge!("db_pool_max_connections", "bucket" => bucket.clone()).set(usage.most);
    let Ok(mut conn) = db.conn().await else { return };
    if let Ok(seconds) = outbox::oldest_seconds(&mut conn).await {
        let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
        metrics::gauge!("outbox_oldest_seconds", "bucket" => bucket).set(seconds);
    }
    if db.home().bucket == 0
        && let Ok(dead) = dead_letter::count(&mut conn).await
    {
        metrics::gauge!("dead_letters").set(u32::try_from(dead).unwrap_or(u32::MAX));
    }
}

/// Allows this process as many open files as the system lets it have. The usual soft limit of 1,024 is less than the
/// connections that a gateway accepts.
pub fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}

/// Asks the process that serves its health at this address whether it is ready: how a container checks itself, which
/// holds no other program.
///
/// # Errors
/// If it does not answer within two seconds, or is not ready.
pub async fn health(ops_addr: SocketAddr) -> anyhow::Result<()> {
    let ip = if ops_addr.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { ops_addr.ip() };
    let asking = async {
        let mut stream = TcpStream::connect((ip, ops_addr.port())).await?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        anyhow::Ok(answer)
    };
    let answer = tokio::time::timeout(Duration::from_secs(2), asking).await??;
    anyhow::ensure!(answer.starts_with("HTTP/1.1 200 "), "{}", answer.lines().last().unwrap_or("no answer"));
    Ok(())
}

/// Sweeps at the start, so that a process which is often restarted sweeps too, and at a pace of its own after that.
async fn sweep(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    loop {
        for (what, result) in [
            ("idempotency keys", idempotency::sweep(&db).await),
            ("events", outbox::relay::sweep(&db).await),
            ("handled events", inbox::sweep(&db).await),
        ] {
            match result {
                Ok(rows) => tracing::debug!(rows, what, "swept"),
                Err(error) => tracing::warn!(%error, what, "sweep failed"),
            }
        }
        let pause = Duration::from_secs(rand::random_range(600..900));
        if shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return Ok(());
        }
    }
}
