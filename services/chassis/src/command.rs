//! The command line that every service has.

use std::net::SocketAddr;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::db::{self, Schema};
use crate::process;

/// What an operator may run besides the service itself.
#[derive(Subcommand)]
enum Command {
    /// Brings the database to the newest schema.
    Migrate {
        /// PostgreSQL, with the role that owns the schema.
        #[arg(long, env, hide_env_values = true)]
        database_url: String,
    },
    /// Says by its exit code whether the process beside it is ready.
    Health {
        /// Where that process serves its health.
        #[arg(long, env)]
        ops_addr: SocketAddr,
    },
}

impl Command {
    async fn run(self, schema: impl Into<Schema>) -> anyhow::Result<()> {
        match self {
            Self::Migrate { database_url } => db::migrate_url(&database_url, schema).await,
            Self::Health { ops_addr } => process::health(ops_addr).await,
        }
    }
}

/// Serves unless a command is given.
#[derive(Parser)]
struct Cli<C: Subcommand> {
    #[command(subcommand)]
    command: Option<C>,
}

/// A command that every service has, or one of the service's own.
#[derive(Subcommand)]
enum AnyCommand<Own: Subcommand> {
    #[command(flatten)]
    Common(Command),
    #[command(flatten)]
    Own(Own),
}

/// The command that was given.
fn parse<C: Subcommand>(name: &'static str) -> Result<Option<C>, clap::Error> {
    let matches = Cli::<C>::command().name(name).get_matches();
    Ok(Cli::from_arg_matches(&matches)?.command)
}

/// Runs the command that was given, or serves with the settings of the environment.
///
/// # Errors
/// Those of the command or of serving.
pub async fn run<C: Parser>(
    name: &'static str,
    schema: impl Into<Schema>,
    serve: impl AsyncFnOnce(C) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    match parse::<Command>(name)? {
        Some(command) => command.run(schema).await,
        None => serve(C::parse()).await,
    }
}

/// The same for a service with commands of its own.
///
/// # Errors
/// Those of the command or of serving.
pub async fn run_with<C: Parser, Own: Subcommand>(
    name: &'static str,
    schema: impl Into<Schema>,
    serve: impl AsyncFnOnce(C) -> anyhow::Result<()>,
    run: impl AsyncFnOnce(Own) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    match parse::<AnyCommand<Own>>(name)? {
        Some(AnyCommand::Common(command)) => command.run(schema).await,
        Some(AnyCommand::Own(command)) => run(command).await,
        None => serve(C::parse()).await,
    }
}
