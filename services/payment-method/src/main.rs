//! The process payment-method.

use std::net::SocketAddr;
use std::sync::Arc;

use chassis::auth_client::RemoteSessions;
use chassis::grpc;
use chassis::identity::Verifier;
use chassis::process::{self, Process};
use chassis::roots::Covers;
use clap::{Parser, Subcommand};
use payment_method::MIGRATOR;
use payment_method::config::Config;
use payment_method::grpc::Doors;

const NAME: &str = "payment-method";

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
    let (db, _) = process.storage(&config.storage)?;
    process.export_roots(&db, &config.storage, &config.keys, Covers::AuditLog)?;
    let sessions = RemoteSessions::new(grpc::channel(&config.auth_url)?, config.keys.credential(NAME)?);
    let verifier = Verifier::new(config.keys.trusted()?, Arc::new(sessions));
    let routes = Doors { db, verifier }.routes().await;
    let listener = grpc::bind(config.grpc.grpc_addr).await?;
    process.spawn(grpc::serve(listener, routes, config.grpc.connection_age(), process.shutdown.clone()));
    process.run(&config.ops).await
}
