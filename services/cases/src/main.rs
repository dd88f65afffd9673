//! The process cases.

use std::time::Duration;

use cases::MIGRATOR;
use cases::app::erase_members::MemberCases;
use cases::config::Config;
use cases::error::Error;
use cases::grpc::GrpcServer;
use cases::store::cases as table;
use chassis::auth_client;
use chassis::command;
use chassis::db::Db;
use chassis::erasure::Eraser;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use chassis::sweep::every;
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "cases";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run(NAME, &MIGRATOR, serve).await
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let (auth, verifier) = auth_client::connect(NAME, &config.service)?;
    let eraser = Eraser::new(db.clone(), auth, config.service.keys.credential(NAME)?);
    process.spawn(eraser.run(MemberCases, process.shutdown.clone()));
    process.spawn(measure(db.clone(), process.shutdown.clone()));
    let routes = GrpcServer { db, verifier, answer_time: config.answer_time() }.routes();
    process.serve(&config.service, routes).await?;
    process.run(&config.service.ops).await
}

async fn measure(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    let measure = async || {
        let overdue = table::count_overdue(&mut *db.conn().await?).await?;
        metrics::gauge!("cases_overdue").set(u32::try_from(overdue).unwrap_or(u32::MAX));
        Ok::<_, Error>(0)
    };
    every(Duration::from_mins(1), "overdue cases", shutdown, measure).await;
    Ok(())
}
