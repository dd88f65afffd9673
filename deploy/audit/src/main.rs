//! Verifies all invariants of the databases: prints `audit clean` and exits with 0, or prints the offending rows and
//! exits with 1.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use audit::reconcile::{self, reconcile};
use audit::{Evidence, Urls, audit, report};
use clap::{Parser, Subcommand};
use stack::Service;

/// Audits the databases named in the environment, AUTH_DATABASE_URL, WALLET_DATABASE_URL and so on for every service, each
/// with a role that may read it. Where BITCOIN_URL, ETHEREUM_URL or TRON_URL name nodes as for payment-method, the newest payments are
/// read again from them.
#[derive(Parser)]
#[command(name = "audit")]
struct Cli {
    /// A folder of signed roots that the databases have to extend.
    #[arg(long, env, requires = "trusted_keys_file")]
    roots: Option<PathBuf>,
    /// The public keys of the services that signed them, and of auth, which signed the decisions of staff.
    #[arg(long, env)]
    trusted_keys_file: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Compares trades with their money instead, and prints a repair for each difference.
    Reconcile,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let cli = Cli::parse();
    if let Some(Command::Reconcile) = cli.command {
        let breaks = reconcile(&url(Service::Trade)?, &url(Service::Wallet)?).await?;
        let agree = reconcile::report(&mut io::stdout().lock(), &breaks)?;
        return Ok(exit_code(agree));
    }
    let urls = Urls::by(url)?;
    let trusted_keys = cli.trusted_keys_file.as_deref();
    let named = ["BITCOIN_URL", "ETHEREUM_URL", "TRON_URL"];
    let nodes: BTreeMap<String, String> =
        named.into_iter().filter_map(|name| Some((name.to_owned(), env::var(name).ok()?))).collect();
    let roots = cli.roots.as_deref();
    let evidence = trusted_keys.map(|trusted_keys| Evidence { trusted_keys, roots, nodes: Some(&nodes) });
    let clean = report(&mut io::stdout().lock(), &audit(&urls, evidence.as_ref()).await?)?;
    Ok(exit_code(clean))
}

fn exit_code(is_right: bool) -> ExitCode {
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn url(service: Service) -> anyhow::Result<String> {
    let variable = format!("{}_DATABASE_URL", service.name().replace('-', "_").to_uppercase());
    env::var(&variable).with_context(|| format!("{variable} is not set"))
}
