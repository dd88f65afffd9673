//! Checks every promise that the databases can prove: `audit clean` and exit code 0, or the offending rows and 1.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use stack::audit::{Urls, audit, report};

/// The databases, each by a role that may read it.
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
    let clean = report(&mut io::stdout().lock(), &audit(&urls).await?)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
