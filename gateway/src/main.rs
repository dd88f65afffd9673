//! The gateway process: wiring only.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chassis::auth_client::RemoteSessions;
use chassis::bus::Bus;
use chassis::command;
use chassis::grpc;
use chassis::identity::{Accepts, Signatures, Verifier};
use chassis::keys::SecretKey;
use chassis::process::{self, Allocator, Process};
use chassis::settings;
use clap::{CommandFactory, Parser, Subcommand};
use gateway::app::{App, AppState};
use gateway::config::Config;
use gateway::exports::Exports;
use gateway::middleware::admission::Admission;
use gateway::middleware::body::Spool;
use gateway::middleware::rate::Rates;
use gateway::papers::documents::Documents;
use gateway::peers::cache::plans::PlanCache;
use gateway::peers::cache::profiles::ProfileCache;
use gateway::peers::clients::Clients;
use gateway::peers::live::Live;
use gateway::proofs::Proofs;
use gateway::router::router;
use gateway::server;
use gateway::storage::files::Files;
use gateway::storage::media::Media;
use gateway::sweep;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "gateway";

#[derive(Parser)]
#[command(name = NAME, about = "The REST gateway of Solvane")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Without a command. Not an optional part of the command line above: clap counts only what is on the line, and would
/// find no settings when all come from the environment.
#[derive(Parser)]
#[command(name = NAME)]
struct Settings {
    #[command(flatten)]
    config: Config,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the OpenAPI document.
    Openapi,
    /// Lists the settings: for each its name, its default and what it means, separated by tabs.
    Settings,
    /// Says by its exit code whether the process beside it is ready.
    Health {
        /// Where that process serves its health.
        #[arg(long, env)]
        ops_addr: SocketAddr,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Some(Command::Openapi) => {
            let document = gateway::router::api().document.to_pretty_json()?;
            std::io::Write::write_all(&mut std::io::stdout(), document.as_bytes())?;
            Ok(())
        }
        Some(Command::Settings) => {
            command::say(&settings::list(&Settings::command()));
            Ok(())
        }
        Some(Command::Health { ops_addr }) => process::health(ops_addr).await,
        None => serve(Settings::parse().config).await,
    }
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let mut process = Process::start(NAME, &config.ops)?;
    config.operator.check(&config.public_url)?;
    let ops = config.ops.clone();
    let credential = config.keys.credential(NAME)?;
    let sessions = RemoteSessions::new(grpc::channel("auth", &config.auth_url, &config.tls)?, credential.clone());
    let clients = Clients::new(&config)?;
    let (live, plans) =
        (Live::new(process.shutdown.clone()), Arc::new(PlanCache::new(clients.trade.clone(), credential.clone())));
    if let Some(url) = &config.amqp_url {
        process.spawn(live.clone().follow(Bus::new(url).trusting(config.tls.authority()?), Arc::clone(&plans)));
    }
    let store = chassis::config::object_store(&config.files_url)?;
    let media = Media::new(Arc::clone(&store), SecretKey::read(&config.link_key_file)?);
    let files = Arc::new(Files::new(store, SecretKey::read(&config.link_key_file)?)?);
    process.spawn(sweep::run(
        Arc::clone(&files),
        clients.file_owners.clone(),
        credential.clone(),
        process.shutdown.clone(),
    ));
    let rates = Rates::new(config.rate_limit, config.session_rate_limit);
    process.spawn(forget_quiet(Arc::clone(&rates), process.shutdown.clone()));
    let app = App::new(AppState {
        plans,
        profiles: ProfileCache::new(clients.directory.clone(), credential.clone()),
        clients,
        verifier: Verifier::new(Signatures::new(config.keys.trusted()?, Accepts::Members), Arc::new(sessions)),
        files,
        media,
        proofs: Proofs::new(SecretKey::read(&config.link_key_file)?),
        credential,
        rates,
        spool: Spool::new(config.spool_dir.clone()),
        admission: Admission::new(config.rate_limit > 0),
        live,
        exports: Exports::default(),
        documents: Documents::default(),
        config,
    });
    let listener = grpc::bind(app.config.http_addr).await?;
    tracing::info!(address = %app.config.http_addr, "serving");
    let limits = server::Limits::of(&app.config);
    let router = server::closing_once(process.leaving.clone(), router(app)?);
    process.spawn(server::serve(listener, router, limits, process.shutdown.clone()));
    process.run(&ops).await
}

async fn forget_quiet(rates: Arc<Rates>, shutdown: tokio_util::sync::CancellationToken) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(Duration::from_secs(60)) => rates.forget_quiet(),
        }
    }
}
