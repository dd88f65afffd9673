//! The command line that every service has.

use std::io::{self, Write};
use std::net::SocketAddr;

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::db::{self, Schema};
use crate::process;
use crate::settings;

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
    /// Lists the settings of the service, or of one of its commands: for each its name, its default and what it means,
    /// separated by tabs.
    Settings {
        /// The command.
        of: Option<String>,
    },
}

impl Command {
    /// `Cli` is the whole command line, `C` the settings of the service.
    async fn run<Cli: CommandFactory, C: CommandFactory>(self, schema: impl Into<Schema>) -> anyhow::Result<()> {
        match self {
            Self::Migrate { database_url } => {
                if !db::migrate_url(&database_url, schema).await? {
                    say("the schema is that of a newer version, and stays as it is\n");
                }
                Ok(())
            }
            Self::Health { ops_addr } => process::health(ops_addr).await,
            Self::Settings { of: None } => {
                say(&settings::list(&C::command()));
                Ok(())
            }
            Self::Settings { of: Some(name) } => {
                let line = Cli::command();
                say(&settings::list(
                    line.find_subcommand(&name).with_context(|| format!("there is no command {name}"))?,
                ));
                Ok(())
            }
        }
    }
}

/// Says something to the operator. A closed stdout must not turn success into failure.
pub fn say(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
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
        Some(command) => command.run::<Cli<Command>, C>(schema).await,
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
        Some(AnyCommand::Common(command)) => command.run::<Cli<AnyCommand<Own>>, C>(schema).await,
        Some(AnyCommand::Own(command)) => run(command).await,
        None => serve(C::parse()).await,
    }
}
