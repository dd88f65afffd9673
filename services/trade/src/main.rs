//! The process trade.

use std::sync::Arc;

use chassis::auth_client::RemoteSessions;
use chassis::command;
use chassis::grpc;
use chassis::identity::Verifier;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use trade::MIGRATOR;
use trade::app::resume_trades;
use trade::clients::Wallet;
use trade::config::Config;
use trade::grpc::Doors;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "trade";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run(NAME, &MIGRATOR, serve).await
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let mut process = Process::start(NAME, &config.ops)?;
    let (db, _) = process.storage(&config.storage)?;
    process.export_roots(&db, &config.storage, &config.keys, Covers::AuditLog)?;
    let sessions = RemoteSessions::new(grpc::channel(&config.auth_url)?, config.keys.credential(NAME)?);
    let verifier = Verifier::new(config.keys.trusted()?, Arc::new(sessions));
    let wallet = Wallet::new(grpc::channel(&config.wallet_url)?, config.keys.credential(NAME)?);
    process.spawn(resume_trades::run(db.clone(), wallet.clone(), process.shutdown.clone()));
    let routes = Doors { db, verifier, wallet }.routes().await;
    process.serve(&config.grpc, routes).await?;
    process.run(&config.ops).await
}
