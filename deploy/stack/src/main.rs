//! The command behind `make run`, `make test` and their like.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use stack::testbed::Testbed;

#[derive(Parser)]
#[command(about = "Starts Solvane, or the servers it needs, from real binaries")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a command with an empty PostgreSQL and RabbitMQ, which end with it.
    Testbed {
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode> {
    match Arguments::parse().command {
        Command::Testbed { command } => {
            let status = Testbed::start().await?.run(&command).await?;
            Ok(exit_code(status))
        }
    }
}

/// The code of a command that we ran for the caller; one that a signal ended counts as failed.
fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
