//! The command line that every service has.

use std::net::SocketAddr;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::db::{self, Schema};
use crate::process;

/// What an operator may run besides the service itself.
#[derive(Debug, Subcommand)]
pub enum Command {
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
    /// Runs it.
    ///
    /// # Errors
    /// As [`db::migrate_url`] and [`process::health`] say.
    pub async fn run(self, schema: impl Into<Schema>) -> anyhow::Result<()> {
        match self {
            Self::Migrate { database_url } => db::migrate_url(&database_url, schema).await,
            Self::Health { ops_addr } => process::health(ops_addr).await,
        }
    }
}

/// Serves unless a command is given.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Runs the command that was given, or serves with the settings of the environment.
///
/// # Errors
/// Those of the command or of serving.
pub async fn run<C: Parser, F: Future<Output = anyhow::Result<()>>>(
    name: &'static str,
    schema: impl Into<Schema>,
    serve: impl FnOnce(C) -> F,
) -> anyhow::Result<()> {
    let matches = Cli::command().name(name).get_matches();
    match Cli::from_arg_matches(&matches)?.command {
        Some(command) => command.run(schema).await,
        None => serve(C::parse()).await,
    }
}
