//! The process payment-method.

use std::sync::Arc;

use chassis::auth_client::RemoteSessions;
use chassis::command;
use chassis::grpc;
use chassis::identity::Verifier;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use payment_method::MIGRATOR;
use payment_method::config::Config;
use payment_method::grpc::Doors;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "payment-method";

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
    let routes = Doors { db, verifier }.routes().await;
    process.serve(&config.grpc, routes).await?;
    process.run(&config.ops).await
}
