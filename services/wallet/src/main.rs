//! The process wallet.

use std::sync::Arc;
use std::time::Duration;

use chassis::auth_client;
use chassis::command;
use chassis::db::{Db, Reads};
use chassis::erasure::Eraser;
use chassis::grpc;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use chassis::sweep::every;
use tokio_util::sync::CancellationToken;
use wallet::SCHEMA;
use wallet::app::account::get_times::LastTimes;
use wallet::app::deposit::tell_consumed::tell_consumed;
use wallet::app::forget_expired::{self, Destinations};
use wallet::app::ledger::check_ledger::check_ledger;
use wallet::app::payout::settle_payouts::settle_payouts;
use wallet::app::review::get_figures::LastFigures;
use wallet::app::transaction::get_transaction::Lines;
use wallet::app::treasury::check_bridge::check_bridge;
use wallet::app::treasury::check_holdings::check_holdings;
use wallet::app::treasury::check_solvency::{Tolerance, check_solvency, held_now, pause_if_drained, pause_if_short};
use wallet::app::treasury::publish_liabilities::publish_nightly;
use wallet::app::withdrawal::request_withdrawal::{Gate, Outlooks};
use wallet::clients::{Chains, Codes, Methods, Quotes};
use wallet::config::Config;
use wallet::error::Error;
use wallet::events::consumed::{Events, QUEUE};
use wallet::grpc::GrpcServer;
use wallet::grpc::verdict_cache::Verdicts;
use wallet::posting::ledger::Ledger;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "wallet";
/// How often the ledger is checked.
const CHECK: Duration = Duration::from_secs(60);
/// How often the holdings are compared with the ledger. A payout without a withdrawal must alert within a minute.
const COMPARISON: Duration = Duration::from_secs(15);
/// How often payouts that are on their way are looked at.
const PAYOUTS: Duration = Duration::from_secs(15);
/// How often the day of the newest publication is compared with today.
const PUBLICATION: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run(NAME, SCHEMA, serve).await
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, bus) = Process::of_service(NAME, &config.service, Covers::Journal)?;
    let (auth, verifier) = auth_client::connect(NAME, &config.service)?;
    let codes = Codes::new(auth.clone(), config.service.keys.credential(NAME)?);
    let payment_method = grpc::channel("payment-method", &config.payment_method_url, &config.service.tls)?;
    let methods = Methods::new(payment_method.clone(), config.service.keys.credential(NAME)?);
    let chains = Chains::new(payment_method.clone(), config.service.keys.credential(NAME)?);
    let quotes = Quotes::new(payment_method, config.service.keys.credential(NAME)?);
    let events = Events { db: db.clone(), chains: chains.clone(), methods: methods.clone() };
    process.consume(&bus, QUEUE, Arc::new(events));
    process.spawn(check(db.clone(), process.shutdown.clone()));
    process.spawn(compare_holdings(db.clone(), chains.clone(), config.limits.tolerance(), process.shutdown.clone()));
    process.spawn(watch_solvency(db.clone(), chains.clone(), config.limits.tolerance(), process.shutdown.clone()));
    process.spawn(look_at_payouts(db.clone(), chains.clone(), process.shutdown.clone()));
    process.spawn(tell_of_consumed(db.clone(), chains.clone(), process.shutdown.clone()));
    process.spawn(watch_bridge(db.clone(), chains.clone(), process.shutdown.clone()));
    let tolerance = config.limits.tolerance();
    process.spawn(publish_every_night(db.clone(), chains.clone(), tolerance, process.shutdown.clone()));
    let (ledger, writer) = Ledger::new(db.clone());
    process.watch(ledger.liveness());
    process.spawn(async move {
        writer.await;
        Ok(())
    });
    let eraser = Eraser::new(db.clone(), auth, config.service.keys.credential(NAME)?);
    process.spawn(eraser.run(Destinations, process.shutdown.clone()));
    process.spawn(forget_expired::run(db.clone(), config.limits.receipt_retention_days, process.shutdown.clone()));
    let (gate, outlooks, lines) = (Gate::new(db.clone()), Outlooks::new(db.clone()), Lines::new(db.clone()));
    let (limits, times, verdicts) = (config.limits.into(), LastTimes::default(), Verdicts::default());
    let figures = LastFigures::default();
    let connections = config.service.storage.database_connections;
    let reads = Reads::new(db.clone(), config.database_read_url.as_deref(), connections)?;
    let routes = GrpcServer {
        db,
        reads,
        ledger,
        gate,
        outlooks,
        lines,
        verifier,
        methods,
        quotes,
        chains,
        codes,
        limits,
        tolerance,
        times,
        verdicts,
        figures,
    }
    .routes();
    process.serve(&config.service, routes).await?;
    process.run(&config.service.ops).await
}

async fn check(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    every(CHECK, "check of the ledger", shutdown, async || check_ledger(&db).await.map(|_| false)).await;
    Ok(())
}

async fn compare_holdings(
    db: Db,
    chains: Chains,
    tolerance: Tolerance,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let compare = async || settle_holdings(&db, &chains, tolerance).await.map(|()| false);
    every(COMPARISON, "comparison of holdings", shutdown, compare).await;
    Ok(())
}

async fn watch_solvency(
    db: Db,
    chains: Chains,
    tolerance: Tolerance,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let watch = async || settle_solvency(&db, &chains, tolerance).await.map(|()| false);
    every(CHECK, "comparison of owed and held", shutdown, watch).await;
    Ok(())
}

async fn look_at_payouts(db: Db, chains: Chains, shutdown: CancellationToken) -> anyhow::Result<()> {
    let settle = async || settle_payouts(&db, &chains).await.map(|()| false);
    every(PAYOUTS, "look at payouts", shutdown, settle).await;
    Ok(())
}

async fn tell_of_consumed(db: Db, chains: Chains, shutdown: CancellationToken) -> anyhow::Result<()> {
    every(COMPARISON, "telling of consumed payments", shutdown, async || tell_consumed(&db, &chains).await).await;
    Ok(())
}

async fn watch_bridge(db: Db, chains: Chains, shutdown: CancellationToken) -> anyhow::Result<()> {
    let watch = async || check_bridge(&db, &chains).await.map(|_| false);
    every(CHECK, "comparison of consumed payments", shutdown, watch).await;
    Ok(())
}

async fn publish_every_night(
    db: Db,
    chains: Chains,
    tolerance: Tolerance,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let publish = async || publish_nightly(&db, async || held_now(&db, &chains, tolerance).await).await.map(|()| false);
    every(PUBLICATION, "publication of liabilities", shutdown, publish).await;
    Ok(())
}

async fn settle_holdings(db: &Db, chains: &Chains, tolerance: Tolerance) -> Result<(), Error> {
    let Some(observed) = chains.holdings().await else { return Ok(()) };
    let found = check_holdings(db, observed).await?;
    found.tell();
    pause_if_drained(db, &found, tolerance).await?;
    if !found.matched.is_empty() {
        chains.match_payouts(&found.matched).await?;
    }
    Ok(())
}

async fn settle_solvency(db: &Db, chains: &Chains, tolerance: Tolerance) -> Result<(), Error> {
    let holdings = match chains.holdings().await {
        Some(observed) => Some(check_holdings(db, observed).await?),
        None => None,
    };
    let found = check_solvency(db, holdings.as_ref(), tolerance).await?;
    found.tell();
    pause_if_short(db, &found, tolerance).await
}
