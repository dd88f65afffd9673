//! The process trade.

use chassis::auth_client;
use chassis::command;
use chassis::grpc;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use trade::MIGRATOR;
use trade::app::{announce_maturities, report_plans, resume_trades};
use trade::clients::Wallet;
use trade::config::Config;
use trade::grpc::GrpcServer;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "trade";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run(NAME, &MIGRATOR, serve).await
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let (_, verifier) = auth_client::connect(NAME, &config.service)?;
    let wallet = Wallet::new(
        grpc::channel("wallet", &config.wallet_url, &config.service.tls)?,
        config.service.keys.credential(NAME)?,
    );
    process.spawn(resume_trades::run(db.clone(), wallet.clone(), process.shutdown.clone()));
    process.spawn(report_plans::run(db.clone(), wallet.clone(), process.shutdown.clone()));
    process.spawn(announce_maturities::run(db.clone(), process.shutdown.clone()));
    let routes = GrpcServer { db, verifier, wallet }.routes();
    process.serve(&config.service, routes).await?;
    process.run(&config.service.ops).await
}
