//! Verifies all invariants of the databases: prints `audit clean` and exits with 0, or prints the offending rows and
//! exits with 1.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use stack::Service;
use stack::audit::{Evidence, Urls, audit, report};

/// Audits the databases named in the environment, AUTH_DATABASE_URL, WALLET_DATABASE_URL and so on for every service, each
/// with a role that may read it.
#[derive(Parser)]
#[command(name = "audit")]
struct Cli {
    /// A folder of signed roots that the databases have to extend.
    #[arg(long, env, requires = "trusted_keys_file")]
    roots: Option<PathBuf>,
    /// The public keys of the services that signed them, and of auth, which signed the decisions of staff.
    #[arg(long, env)]
    trusted_keys_file: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let cli = Cli::parse();
    let urls = Urls::by(|service| {
        let variable = variable(service);
        env::var(&variable).with_context(|| format!("{variable} is not set"))
    })?;
    let trusted_keys = cli.trusted_keys_file.as_deref();
    let evidence = trusted_keys.map(|trusted_keys| Evidence { trusted_keys, roots: cli.roots.as_deref() });
    let clean = report(&mut io::stdout().lock(), &audit(&urls, evidence.as_ref()).await?)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn variable(service: Service) -> String {
    format!("{}_DATABASE_URL", service.name().replace('-', "_").to_uppercase())
}
