//! The process payment-method.

use chassis::auth_client;
use chassis::command;
use chassis::grpc;
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
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let verifier = auth_client::verifier(NAME, grpc::channel(&config.auth_url)?, &config.service.keys)?;
    let routes = Doors { db, verifier }.routes().await;
    process.serve(&config.service.grpc, routes).await?;
    process.run(&config.service.ops).await
}
