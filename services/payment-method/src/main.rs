//! The process payment-method, and the commands for operators.

use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use chassis::auth_client;
use chassis::command;
use chassis::grpc;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use clap::{Parser, Subcommand};
use payment_method::MIGRATOR;
use payment_method::config::Config;
use payment_method::domain::statement::Statement;
use payment_method::grpc::Doors;
use payment_method::treasury::TreasuryKey;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "payment-method";

/// Platform methods and personal ones. Serves unless a command is given.
#[derive(Parser)]
#[command(name = NAME)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Common(command::Command),
    /// Signs platform addresses, on a machine without network.
    #[command(subcommand)]
    TreasuryKey(TreasuryKeyCommand),
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
    match Cli::parse().command {
        None => serve(Config::parse()).await,
        Some(Command::Common(command)) => command.run(&MIGRATOR).await,
        Some(Command::TreasuryKey(TreasuryKeyCommand::Generate { key_file })) => {
            print_line(&TreasuryKey::generate(&key_file)?.public_key())
        }
        Some(Command::TreasuryKey(TreasuryKeyCommand::Sign { key_file, statement })) => sign(&key_file, statement),
    }
}

/// The statement goes to the standard error, so that whoever signs reads it, and the signature alone to the output.
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

fn print_line(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let verifier = auth_client::verifier(NAME, grpc::channel("auth", &config.auth_url)?, &config.service)?;
    let routes = Doors { db, verifier, treasury: config.treasury_keys }.routes().await;
    process.serve(&config.service.grpc, routes).await?;
    process.run(&config.service.ops).await
}
