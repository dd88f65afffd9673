//! The process course, and the commands for operators.

use std::io::Write;
use std::path::PathBuf;

use chassis::auth_client;
use chassis::command;
use chassis::db::Db;
use chassis::erasure::Eraser;
use chassis::grpc;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use clap::{Args, Parser, Subcommand};
use course::MIGRATOR;
use course::app::erase_members::MemberRecords;
use course::app::export_course::export_course;
use course::app::import_course::import_course;
use course::app::publish_first_version;
use course::clients::Wallet;
use course::config::Config;
use course::domain::files;
use course::folder;
use course::grpc::GrpcServer;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "course";

/// The content of the course and the progress of members. Serves unless a command is given.
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
    /// Publishes a folder of Markdown files as a new version.
    Import(Content),
    /// Writes the published version as a folder of Markdown files.
    Export(Content),
}

#[derive(Args)]
struct Content {
    /// The folder of the files.
    folder: PathBuf,
    /// PostgreSQL, with the service's own role.
    #[arg(long, env, hide_env_values = true)]
    database_url: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        None => serve(Config::parse()).await,
        Some(Command::Common(command)) => command.run(&MIGRATOR).await,
        Some(Command::Import(content)) => import(&content).await,
        Some(Command::Export(content)) => export(&content).await,
    }
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let auth = grpc::channel("auth", &config.auth_url, &config.service.tls)?;
    let verifier = auth_client::verifier(NAME, auth.clone(), &config.service)?;
    let eraser = Eraser::new(db.clone(), auth, config.service.keys.credential(NAME)?);
    process.spawn(eraser.run(MemberRecords, process.shutdown.clone()));
    let wallet = Wallet::new(
        grpc::channel("wallet", &config.wallet_url, &config.service.tls)?,
        config.service.keys.credential(NAME)?,
    );
    process.spawn(publish_first_version::run(db.clone(), process.shutdown.clone()));
    let routes = GrpcServer { db, verifier, wallet }.routes();
    process.serve(&config.service, routes).await?;
    process.run(&config.service.ops).await
}

async fn import(content: &Content) -> anyhow::Result<()> {
    let course = files::parse(&folder::read(&content.folder)?)?;
    let version = import_course(&Db::connect_lazy(&content.database_url, 1)?, &course).await?;
    print_line(&format!("published version {version} with {} lessons", course.lessons().count()))
}

async fn export(content: &Content) -> anyhow::Result<()> {
    let course = export_course(&Db::connect_lazy(&content.database_url, 1)?).await?;
    folder::write(&content.folder, &files::write(&course))?;
    print_line(&format!("wrote {} lessons to {}", course.lessons().count(), content.folder.display()))
}

fn print_line(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}
