//! The process payment-method, and the commands for operators.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use chassis::auth_client;
use chassis::command;
use chassis::db::Db;
use chassis::erasure::Eraser;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use clap::{Args, Subcommand};
use payment_method::MIGRATOR;
use payment_method::app::erase_members::MethodsAndQuotes;
use payment_method::app::list_sweeps::{Sweep, list_sweeps};
use payment_method::app::observe_chain::observe_chain;
use payment_method::app::poll_rates::{observe_rates, poll_rates};
use payment_method::app::rescan_chain::rescan_chain;
use payment_method::clients::RateSource;
use payment_method::clients::chain::Chain;
use payment_method::config::{Config, Nodes, Spread};
use payment_method::domain::address_proof::AddressProof;
use payment_method::domain::statement::Statement;
use payment_method::grpc::GrpcServer;
use payment_method::store::{quotes, rate_points, signed_payouts};
use payment_method::treasury::TreasuryKey;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "payment-method";
/// How often the sources of rates are asked.
const POLL: Duration = Duration::from_secs(30);
/// How often old rates, quotes and signed payouts are forgotten, in polls.
const SWEEP: u32 = 120;

#[derive(Subcommand)]
enum Command {
    /// Reads the blocks of a chain again, after a node had returned too little.
    Rescan {
        /// `bitcoin`, `ethereum` or `tron`.
        chain: String,
        /// The height of the first block.
        #[arg(long)]
        from: i64,
        /// PostgreSQL, with the service's own role.
        #[arg(long, env, hide_env_values = true)]
        database_url: String,
        #[command(flatten)]
        spread: Spread,
        #[command(flatten)]
        nodes: Nodes,
    },
    /// Lists what own addresses of members hold, for the signer of the treasury.
    SweepList {
        /// `bitcoin`, `ethereum` or `tron`.
        chain: String,
        /// Prints a JSON object on each line instead of CSV.
        #[arg(long)]
        json: bool,
        /// PostgreSQL, with the service's own role.
        #[arg(long, env, hide_env_values = true)]
        database_url: String,
    },
    /// Signs platform addresses, on a machine without network.
    #[command(subcommand)]
    TreasuryKey(TreasuryKeyCommand),
    /// Proves that the operator has the private key of an address, on a machine without network.
    #[command(subcommand)]
    AddressProof(AddressProofCommand),
}

#[derive(Subcommand)]
enum AddressProofCommand {
    /// Prints the message of today, for the wallet of the address to sign.
    Message {
        /// The name that members know.
        #[arg(long)]
        operator: String,
        #[command(flatten)]
        at: At,
    },
    /// Verifies the wallet's signature as the back office does.
    Verify {
        /// As it was printed.
        #[arg(long)]
        message: String,
        #[arg(long)]
        signature: String,
        #[command(flatten)]
        at: At,
    },
}

/// An address.
#[derive(Args)]
struct At {
    /// As it stands in the method: `Bitcoin`, `ERC20`, `TRC20`.
    #[arg(long)]
    network: String,
    #[arg(long)]
    address: String,
}

#[derive(Subcommand)]
enum TreasuryKeyCommand {
    /// Writes a new private key and prints its public key.
    Generate {
        /// The file for the private key, which must not exist.
        #[arg(long)]
        key_file: PathBuf,
    },
    /// Signs a statement that the back office wrote, and prints the signature.
    Sign {
        /// The file of the private key.
        #[arg(long)]
        key_file: PathBuf,
        /// The statement; the standard input if it is left out.
        statement: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run_with(NAME, &MIGRATOR, serve, run).await
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Rescan { chain, from, database_url, spread, nodes } => {
            let chains = nodes.chains()?;
            let chain = chains.iter().find(|known| known.name() == chain).context("this chain has no node")?;
            let db = Db::connect_lazy(&database_url, 1)?;
            let found = rescan_chain(&db, chain, from, spread.quote_spread_bps).await??;
            print_line(&format!("{found} payments in the blocks from {from} on"))
        }
        Command::SweepList { chain, json, database_url } => {
            let db = Db::connect_lazy(&database_url, 1)?;
            if json { print_sweeps(&db, &chain, as_json).await } else { print_sweeps(&db, &chain, as_csv).await }
        }
        Command::TreasuryKey(TreasuryKeyCommand::Generate { key_file }) => {
            print_line(&TreasuryKey::generate(&key_file)?.public_key())
        }
        Command::TreasuryKey(TreasuryKeyCommand::Sign { key_file, statement }) => sign(&key_file, statement),
        Command::AddressProof(AddressProofCommand::Message { operator, at }) => {
            let proof = AddressProof { operator, address: at.address, day: OffsetDateTime::now_utc().date() };
            print_line(&AddressProof::parse(&at.network, &proof.message())?.message())
        }
        Command::AddressProof(AddressProofCommand::Verify { message, signature, at }) => {
            let proof = AddressProof::parse(&at.network, &message)?;
            anyhow::ensure!(proof.address == at.address, "the message is about {}", proof.address);
            proof.verify(&at.network, &signature, OffsetDateTime::now_utc())?;
            print_line("The key of this address signed this message.")
        }
    }
}

/// The statement goes to the standard error, so that the signer reads it, and the signature alone to the output.
fn sign(key_file: &std::path::Path, statement: Option<PathBuf>) -> anyhow::Result<()> {
    let text = match statement {
        Some(path) => std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?,
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read the statement")?;
            text
        }
    };
    let statement = Statement::parse(&text)?;
    std::io::stderr().write_all(statement.text().as_bytes())?;
    print_line(&TreasuryKey::read(key_file)?.sign(&statement)?)
}

/// A page at a time, so that the list may be as long as it is.
async fn print_sweeps(db: &Db, chain: &str, line: fn(&Sweep) -> anyhow::Result<String>) -> anyhow::Result<()> {
    let mut after = None;
    loop {
        let page = list_sweeps(db, chain, after.as_ref()).await?;
        for one in &page {
            print_line(&line(one)?)?;
        }
        after = page.into_iter().last();
        if after.is_none() {
            return Ok(());
        }
    }
}

/// No field has a comma or a quotation mark.
fn as_csv(Sweep { path, address, asset, units, needs }: &Sweep) -> anyhow::Result<String> {
    Ok(format!("{path},{address},{asset},{units},{needs}"))
}

fn as_json(one: &Sweep) -> anyhow::Result<String> {
    Ok(serde_json::to_string(one)?)
}

fn print_line(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let (auth, verifier) = auth_client::connect(NAME, &config.service)?;
    let eraser = Eraser::new(db.clone(), auth, config.service.keys.credential(NAME)?);
    process.spawn(eraser.run(MethodsAndQuotes, process.shutdown.clone()));
    process.spawn(watch_rates(db.clone(), config.sources()?, process.shutdown.clone()));
    let chains = config.nodes.chains()?;
    for chain in &chains {
        process.spawn(watch_chain(
            db.clone(),
            (chain.clone(), config.spread.quote_spread_bps),
            process.shutdown.clone(),
        ));
    }
    let (tolerance, spread_bps) = (config.tolerance(), config.spread.quote_spread_bps);
    let treasury = config.treasury_keys;
    let (chains, lookups) = (chains.into(), Arc::default());
    let routes = GrpcServer { db, verifier, treasury, spread_bps, tolerance, chains, lookups }.routes();
    process.serve(&config.service, routes).await?;
    process.run(&config.service.ops).await
}

async fn watch_rates(db: Db, sources: Vec<RateSource>, shutdown: CancellationToken) -> anyhow::Result<()> {
    for round in 0_u32.. {
        if let Err(error) = poll_rates(&db, &sources).await {
            tracing::warn!(%error, "could not store rates");
        }
        if let Err(error) = observe_rates(&db, !sources.is_empty()).await {
            tracing::warn!(%error, "could not look at the rates");
        }
        if round.is_multiple_of(SWEEP)
            && let Err(error) = forget(&db).await
        {
            tracing::warn!(%error, "could not forget old rates, quotes and signed payouts");
        }
        tokio::select! {
            () = shutdown.cancelled() => break,
            () = tokio::time::sleep(POLL) => {}
        }
    }
    Ok(())
}

async fn forget(db: &Db) -> Result<(), sqlx::Error> {
    rate_points::sweep(db).await?;
    quotes::sweep(db).await?;
    signed_payouts::sweep(db).await?;
    Ok(())
}

async fn watch_chain(db: Db, (chain, spread_bps): (Chain, u16), shutdown: CancellationToken) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            looked = observe_chain(&db, &chain, spread_bps) => if let Err(error) = looked {
                tracing::warn!(chain = chain.name(), %error, "could not store what a chain tells");
            },
        }
        tokio::select! {
            () = shutdown.cancelled() => break,
            () = tokio::time::sleep(chain.interval()) => {}
        }
    }
    Ok(())
}
