//! The process wallet.

use std::sync::Arc;
use std::time::Duration;

use chassis::auth_client;
use chassis::command;
use chassis::db::{self, Buckets, Db, Reads};
use chassis::erasure::Eraser;
use chassis::grpc;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use chassis::sweep::every;
use clap::Subcommand;
use tokio_util::sync::CancellationToken;
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
use wallet::grpc::router::Router;
use wallet::grpc::verdict_cache::Verdicts;
use wallet::posting::ledger::Ledger;
use wallet::store::member_buckets;
use wallet::{BUCKETED, SCHEMA};

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

/// How often the buckets of this process are compared with those that take members.
const BUCKETS: Duration = Duration::from_secs(10);

/// What an operator does besides.
#[derive(Subcommand)]
enum Command {
    /// Lists the buckets of members, with the bytes that they take up, and whether new members are put there.
    Buckets {
        /// PostgreSQL, with the role that owns the schema.
        #[arg(long, env, hide_env_values = true)]
        database_url: String,
        /// First migrates all, makes those that are missing, and opens some for new members.
        #[arg(long)]
        make: bool,
        /// How many there are to be, with `--make`.
        #[arg(long, env = "WALLET_BUCKETS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
        count: u16,
        /// How many take new members, with `--make`: every process of the wallet reads them by now. It only rises.
        #[arg(long, env = "WALLET_BUCKETS_OPEN", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
        open: u16,
        /// Prints the statement that moves this bucket to another node of the distributed engine, while it is used.
        #[arg(long = "move", value_name = "BUCKET", requires = "to")]
        moved: Option<u16>,
        /// The node, as host:port.
        #[arg(long, value_parser = node)]
        to: Option<(String, u16)>,
    },
}

fn node(text: &str) -> Result<(String, u16), String> {
    let is_host = |host: &str| host.bytes().all(|one| one.is_ascii_alphanumeric() || b".-:[]".contains(&one));
    let (host, port) = text.rsplit_once(':').filter(|(host, _)| is_host(host)).ok_or("host:port is expected")?;
    Ok((host.to_owned(), port.parse().map_err(|_| "the port is a number")?))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run_with(NAME, SCHEMA, serve, run).await
}

async fn run(command: Command) -> anyhow::Result<()> {
    let Command::Buckets { database_url, make, count, open, moved, to } = command;
    let buckets = |count| Buckets { name: BUCKETED.name, count };
    if let Some((bucket, (host, port))) = moved.zip(to) {
        let schema = buckets(bucket).schema(bucket);
        command::say(&format!("SELECT citus_schema_move('{schema}', '{host}', {port});\n"));
        return Ok(());
    }
    let pool = db::administer(&database_url).await?;
    if make {
        anyhow::ensure!(open <= count, "of {count} buckets, {open} cannot be opened");
        db::add_buckets(&pool, SCHEMA, buckets(count)).await?;
        db::open_buckets(&pool, buckets(open)).await?;
    }
    for db::BucketSize { schema, bytes, is_open } in db::buckets_of(&pool, BUCKETED.name).await? {
        command::say(&format!("{schema}\t{bytes}\t{}\n", if is_open { "open" } else { "not open" }));
    }
    Ok(())
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let buckets = Buckets { name: BUCKETED.name, count: config.wallet_buckets };
    let (mut process, dbs, bus) = Process::of_service_in_buckets(NAME, &config.service, Covers::Journal, buckets)?;
    let (auth, verifier) = auth_client::connect(NAME, &config.service)?;
    let codes = Codes::new(auth.clone(), config.service.keys.credential(NAME)?);
    let payment_method = grpc::channel("payment-method", &config.payment_method_url, &config.service.tls)?;
    let methods = Methods::new(payment_method.clone(), config.service.keys.credential(NAME)?);
    let chains = Chains::new(payment_method.clone(), config.service.keys.credential(NAME)?);
    let quotes = Quotes::new(payment_method, config.service.keys.credential(NAME)?);
    let (limits, tolerance) = (config.limits.clone().into(), config.limits.tolerance());
    let (times, verdicts, figures) = (LastTimes::default(), Verdicts::default(), LastFigures::default());
    let connections = config.service.storage.database_connections;
    let mut servers = Vec::new();
    for db in dbs {
        process.spawn(check(db.clone(), process.shutdown.clone()));
        process.spawn(look_at_payouts(db.clone(), chains.clone(), process.shutdown.clone()));
        let eraser = Eraser::new(db.clone(), auth.clone(), config.service.keys.credential(NAME)?);
        process.spawn(eraser.run(Destinations, process.shutdown.clone()));
        let retention = config.limits.receipt_retention_days;
        process.spawn(forget_expired::run(db.clone(), retention, process.shutdown.clone()));
        let (ledger, writer) = Ledger::new(db.clone());
        process.watch(ledger.liveness());
        process.spawn(async move {
            writer.await;
            Ok(())
        });
        servers.push(GrpcServer {
            reads: Reads::new(db.clone(), config.database_read_url.as_deref(), connections)?,
            gate: Gate::new(db.clone()),
            outlooks: Outlooks::new(db.clone()),
            lines: Lines::new(db.clone()),
            db,
            ledger,
            verifier: verifier.clone(),
            methods: methods.clone(),
            quotes: quotes.clone(),
            chains: chains.clone(),
            codes: codes.clone(),
            limits,
            tolerance,
            times: times.clone(),
            verdicts: verdicts.clone(),
            figures: figures.clone(),
        });
    }
    let first = servers.remove(0);
    let db = first.db.clone();
    let events = Events { db: db.clone(), chains: chains.clone(), methods };
    process.consume(&bus, QUEUE, Arc::new(events));
    process.spawn(compare_holdings(db.clone(), chains.clone(), tolerance, process.shutdown.clone()));
    process.spawn(watch_solvency(db.clone(), chains.clone(), tolerance, process.shutdown.clone()));
    process.spawn(tell_of_consumed(db.clone(), chains.clone(), process.shutdown.clone()));
    process.spawn(watch_bridge(db.clone(), chains.clone(), process.shutdown.clone()));
    process.spawn(watch_buckets(db.clone(), process.shutdown.clone()));
    process.spawn(publish_every_night(db, chains, tolerance, process.shutdown.clone()));
    process.serve(&config.service, Router::new(first, servers).routes()).await?;
    process.run(&config.service.ops).await
}

/// Ends the process once members are put into buckets that it does not read: it would take what is theirs for missing. New
/// connections are refused then, and open ones are not.
async fn watch_buckets(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    let count = db.home().buckets.count;
    while shutdown.run_until_cancelled(tokio::time::sleep(BUCKETS)).await.is_some() {
        let open = async { Ok::<_, Error>(member_buckets::open(&mut *db.conn().await?).await?) };
        match open.await {
            Ok(open) => anyhow::ensure!(open <= count, "members are in {open} buckets, and WALLET_BUCKETS is {count}"),
            Err(error) => tracing::warn!(%error, "buckets are not known"),
        }
    }
    Ok(())
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
    found.record_metrics();
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
    found.record_metrics();
    pause_if_short(db, &found, tolerance).await
}
