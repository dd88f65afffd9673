//! The process wallet.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chassis::caller::{RemoteSessions, Verifier};
use chassis::db::Db;
use chassis::grpc;
use chassis::process::{self, Process};
use clap::{Parser, Subcommand};
use tokio_util::sync::CancellationToken;
use wallet::MIGRATOR;
use wallet::app::get_times::LastTimes;
use wallet::app::get_transaction::Lines;
use wallet::app::guard_withdrawals::guard_withdrawals;
use wallet::app::request_withdrawal::Gate;
use wallet::clients::Methods;
use wallet::config::Config;
use wallet::events::consumed::{Events, QUEUE};
use wallet::grpc::Doors;
use wallet::posting::ledger::Ledger;

const NAME: &str = "wallet";
/// How often the books are looked at.
const GUARD: Duration = Duration::from_secs(60);

/// Without a command: serves, as the environment says.
#[derive(Parser)]
#[command(name = NAME)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Brings the database to the newest schema.
    Migrate {
        /// PostgreSQL, with the role that owns the schema.
        #[arg(long, env, hide_env_values = true)]
        database_url: String,
    },
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
        Some(Command::Migrate { database_url }) => chassis::db::migrate_url(&database_url, &MIGRATOR).await,
        Some(Command::Health { ops_addr }) => process::health(ops_addr).await,
        None => serve(Config::parse()).await,
    }
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let mut process = Process::start(NAME, &config.ops)?;
    let (db, bus) = process.storage(&config.storage)?;
    let sessions = RemoteSessions::new(grpc::channel(&config.auth_url)?, config.keys.credential(NAME)?);
    let verifier = Verifier::new(config.keys.trusted()?, Arc::new(sessions));
    let methods = Methods::new(grpc::channel(&config.payment_method_url)?, config.keys.credential(NAME)?);
    process.consume(&bus, QUEUE, Arc::new(Events { db: db.clone() }));
    process.spawn(guard(db.clone(), process.shutdown.clone()));
    let (ledger, writer) = Ledger::new(db.clone());
    process.spawn(async move {
        writer.await;
        Ok(())
    });
    let (gate, lines) = (Gate::new(db.clone()), Lines::new(db.clone()));
    let (limits, times) = (config.limits.into(), LastTimes::default());
    let routes = Doors { db, ledger, gate, lines, verifier, methods, limits, times }.routes().await;
    let listener = grpc::bind(config.grpc_addr).await?;
    process.spawn(grpc::serve(listener, routes, process.shutdown.clone()));
    process.run(&config.ops).await
}

async fn guard(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    loop {
        if let Err(error) = guard_withdrawals(&db).await {
            tracing::warn!(%error, "the books could not be looked at");
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(GUARD) => {}
        }
    }
}
