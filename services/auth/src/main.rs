//! The process: wiring, and the commands for operators.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use auth::SCHEMA;
use auth::app::factor::reset_totp::reset_totp;
use auth::app::staff::add_staff::{NewStaff, add_staff};
use auth::app::staff::bootstrap_staff::{Person, bootstrap_staff};
use auth::app::{
    App, SIGN_INS, SecondFactor, account::close_account, account::erase_closed, factor::second_factor as factors,
    forget_expired, mail::answer_mail_requests, security::security_log, staff::reset_factors,
};
use auth::clients::Wallet;
use auth::config::Config;
use auth::domain::brand;
use auth::error::Error;
use auth::grpc::GrpcServer;
use auth::hasher::Hasher;
use auth::passkeys::RelyingParty;
use auth::secrets::Secrets;
use auth::tokens::Tokens;
use chassis::command::{self, say};
use chassis::db::Db;
use chassis::error::Fault;
use chassis::grpc;
use chassis::identity::Role;
use chassis::keys::{self, SealingKey, SecretKey, SigningKey};
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use tokio::sync::{Notify, Semaphore};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "auth";

#[derive(Subcommand)]
enum Command {
    /// Manages the keys of a deployment.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Manages staff accounts without the web app.
    #[command(subcommand)]
    Staff(StaffCommand),
}

#[derive(Args)]
struct Database {
    /// URL of the PostgreSQL database.
    #[arg(long, env, hide_env_values = true)]
    database_url: String,
}

#[derive(Subcommand)]
enum KeysCommand {
    /// Writes a full set of keys; keeps the ones that are there.
    Generate {
        /// Folder that the keys are written to.
        #[arg(long)]
        dir: PathBuf,
    },
}

#[derive(Subcommand)]
enum StaffCommand {
    /// Invites the first two admins by mail, who invite everybody else; refuses when two are there.
    Bootstrap(StaffBootstrap),
    /// Makes a staff account; does nothing if it is there.
    Add(StaffAdd),
    /// Takes a lost authenticator away: its owner enrols again at the next login.
    ResetTotp(StaffResetTotp),
}

#[derive(Args)]
struct StaffBootstrap {
    #[command(flatten)]
    database: Database,
    /// The secret that codes and links are derived from.
    #[arg(long, env)]
    code_key_file: PathBuf,
    /// An admin, as `First Name <first@example.com>`; give two.
    #[arg(long, required = true)]
    admin: Vec<Person>,
}

#[derive(Args)]
struct StaffResetTotp {
    #[command(flatten)]
    database: Database,
    #[arg(long)]
    email: String,
}

#[derive(Args)]
struct StaffAdd {
    #[command(flatten)]
    database: Database,
    #[arg(long)]
    email: String,
    #[arg(long)]
    name: String,
    #[arg(long, value_parser = role_name())]
    role: Role,
    /// Reads the first password from the standard input.
    #[arg(long, required = true)]
    password_stdin: bool,
}

fn role_name() -> impl TypedValueParser<Value = Role> {
    PossibleValuesParser::new(Role::ALL.iter().map(|role| role.as_str())).try_map(|name| name.parse())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run_with(NAME, SCHEMA, serve, run).await
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Keys(KeysCommand::Generate { dir }) => keys::generate(&dir),
        Command::Staff(StaffCommand::Bootstrap(bootstrap)) => staff_bootstrap(&bootstrap).await,
        Command::Staff(StaffCommand::Add(add)) => staff_add(&add).await,
        Command::Staff(StaffCommand::ResetTotp(reset)) => staff_reset_totp(&reset).await,
    }
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    brand::set(&config.brand)?;
    let second_factor = SecondFactor::from(config.staff_totp);
    if second_factor == SecondFactor::Waived {
        tracing::warn!("STAFF_TOTP=off: staff log in without a second factor; never do this outside a local stack");
    }
    if config.new_staff_wait_seconds == 0 {
        tracing::warn!("NEW_STAFF_WAIT_SECONDS=0: new staff decide at once; never do this outside a local stack");
    }
    let wallet = grpc::channel("wallet", &config.wallet_url, &config.service.tls)?;
    let app = Arc::new(App {
        db,
        wallet: Wallet::new(wallet, config.service.keys.credential(NAME)?),
        hasher: Hasher::new()?,
        sign_ins: Semaphore::new(SIGN_INS),
        secrets: Secrets::new(SecretKey::read(&config.code_key_file)?),
        totp_key: SealingKey::read(&config.totp_key_file)?,
        relying_party: RelyingParty::at(&config.public_url)?,
        tokens: Tokens::new(SigningKey::read(&config.token_key_file)?, config.service.keys.trusted()?),
        decision_key: SigningKey::read(&config.decision_key_file)?,
        second_factor,
        new_staff_wait: Duration::from_secs(config.new_staff_wait_seconds.into()),
        cooling_off: Duration::from_hours(config.cooling_off_hours.into()),
        closing_delay: Duration::from_hours(config.closing_delay_hours.into()),
        retention_days: config.personal_data_retention_days,
        mail_requested: Notify::new(),
    });
    factors::announce();
    security_log::announce();
    process
        .serve(&config.service, GrpcServer::new(Arc::clone(&app), config.service.signatures(NAME)?).routes())
        .await?;
    let (requests, shutdown) = (Arc::clone(&app), process.shutdown.clone());
    process.spawn(async move {
        answer_mail_requests::run(&requests, shutdown).await;
        Ok(())
    });
    let (closings, shutdown) = (Arc::clone(&app), process.shutdown.clone());
    process.spawn(async move {
        close_account::run(&closings, shutdown).await;
        Ok(())
    });
    let (closed, shutdown) = (Arc::clone(&app), process.shutdown.clone());
    process.spawn(async move {
        erase_closed::run(&closed, shutdown).await;
        Ok(())
    });
    let (resets, shutdown) = (Arc::clone(&app), process.shutdown.clone());
    process.spawn(async move {
        reset_factors::run(&resets, shutdown).await;
        Ok(())
    });
    let shutdown = process.shutdown.clone();
    process.spawn(async move {
        forget_expired::run(&app, shutdown).await;
        Ok(())
    });
    process.run(&config.service.ops).await
}

async fn staff_bootstrap(bootstrap: &StaffBootstrap) -> anyhow::Result<()> {
    let db = Db::connect_lazy(&bootstrap.database.database_url, 1)?;
    let secrets = Secrets::new(SecretKey::read(&bootstrap.code_key_file)?);
    bootstrap_staff(&db, &secrets, &bootstrap.admin).await.map_err(told)?;
    for admin in &bootstrap.admin {
        say(&format!("{} is invited\n", admin.email.as_str()));
    }
    Ok(())
}

async fn staff_add(add: &StaffAdd) -> anyhow::Result<()> {
    let mut password = String::new();
    std::io::stdin().read_to_string(&mut password).context("cannot read the password")?;
    let new = NewStaff {
        name: &add.name,
        email: &add.email,
        role: add.role,
        password: password.trim_end_matches(['\r', '\n']),
    };
    let db = Db::connect_lazy(&add.database.database_url, 1)?;
    let added = add_staff(&db, &Hasher::new()?, &new).await.map_err(told)?;
    let text = if added { "added" } else { "is there already" };
    say(&format!("{} ({}) {text}\n", add.email, add.role.as_str()));
    Ok(())
}

async fn staff_reset_totp(reset: &StaffResetTotp) -> anyhow::Result<()> {
    let db = Db::connect_lazy(&reset.database.database_url, 1)?;
    let was_there = reset_totp(&db, &reset.email).await.map_err(told)?;
    let text = if was_there { "has no authenticator any more" } else { "has no authenticator" };
    say(&format!("{} {text}\n", reset.email));
    Ok(())
}

/// A refusal in its own words, a failure with its cause.
fn told(error: Error) -> anyhow::Error {
    match error.database() {
        Some(_) => anyhow::Error::from(error),
        None => anyhow!(error.sentence()),
    }
}
