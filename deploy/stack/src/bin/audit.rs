//! Verifies all invariants of the databases: prints `audit clean` and exits with 0, or prints the offending rows and
//! exits with 1.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use stack::audit::{Evidence, Urls, audit, report};

/// The databases, each with a role that may read it.
#[derive(Parser)]
#[command(name = "audit")]
struct Cli {
    /// Of the service wallet.
    #[arg(long, env, hide_env_values = true)]
    wallet_database_url: String,
    /// Of the service trade.
    #[arg(long, env, hide_env_values = true)]
    trade_database_url: String,
    /// Of the service auth.
    #[arg(long, env, hide_env_values = true)]
    auth_database_url: String,
    /// Of the service payment-method.
    #[arg(long, env, hide_env_values = true)]
    payment_method_database_url: String,
    /// Of the service mailer.
    #[arg(long, env, hide_env_values = true)]
    mailer_database_url: String,
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
    let urls = Urls {
        wallet: cli.wallet_database_url,
        trade: cli.trade_database_url,
        auth: cli.auth_database_url,
        payment_method: cli.payment_method_database_url,
        mailer: cli.mailer_database_url,
    };
    let trusted_keys = cli.trusted_keys_file.as_deref();
    let evidence = trusted_keys.map(|trusted_keys| Evidence { trusted_keys, roots: cli.roots.as_deref() });
    let clean = report(&mut io::stdout().lock(), &audit(&urls, evidence.as_ref()).await?)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
