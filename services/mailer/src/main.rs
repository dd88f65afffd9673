//! The process mailer.

use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use chassis::auth_client;
use chassis::command::{self, say};
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use clap::{Args, Subcommand};
use mailer::MIGRATOR;
use mailer::app::accept_event::AcceptEvent;
use mailer::app::mail_roots::MailRoots;
use mailer::app::send_mails::{CONCURRENCY, SendMails};
use mailer::app::send_pushes::SendPushes;
use mailer::app::send_test::send_test;
use mailer::clients::Directory;
use mailer::config::Config;
use mailer::domain::push::PushServices;
use mailer::events::consumed::{Consumer, QUEUE};
use mailer::events::published::{LiveNotices, publish};
use mailer::grpc::GrpcServer;
use mailer::message::Sender;
use mailer::push::keys::PushKeys;
use mailer::push::{self, PublicAddresses, Push};
use mailer::render::Renderer;
use mailer::smtp::Transport;
use tokio::sync::Notify;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "mailer";

#[derive(Subcommand)]
enum Command {
    /// Sends a test mail with the settings of the service, and prints what the relay answered.
    SendTest(SendTest),
}

#[derive(Args)]
struct SendTest {
    /// The sender, as the service has it.
    #[arg(long, env)]
    mail_from: String,
    /// The relay, as the service has it.
    #[arg(long, env, hide_env_values = true)]
    smtp_url: String,
    /// Where the mail goes.
    address: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    command::run_with(NAME, &MIGRATOR, serve, run).await
}

async fn run(command: Command) -> anyhow::Result<()> {
    let Command::SendTest(test) = command;
    let sender = Sender::parse(&test.mail_from).context("MAIL_FROM is no sender")?;
    let answer = send_test(&Transport::relay(&test.smtp_url, 1)?, &sender, &test.address).await?;
    say(&format!("the relay took the mail to {}: {answer}\n", test.address));
    Ok(())
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, bus) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let (auth, verifier) = auth_client::connect(NAME, &config.service)?;
    let directory = Directory::new(auth, config.service.keys.credential(NAME)?);
    let queued = Arc::new(Notify::new());
    if let Some(store) = config.service.storage.roots()? {
        let (db, directory, queued) = (db.clone(), directory.clone(), Arc::clone(&queued));
        let shutdown = process.shutdown.clone();
        process.spawn(async move {
            MailRoots { db, directory, store, queued }.run(shutdown).await;
            Ok(())
        });
    }
    let accept = AcceptEvent { db: db.clone(), directory: directory.clone(), queued: Arc::clone(&queued) };
    let (live, added) = LiveNotices::new();
    let (publisher, shutdown) = (bus.clone(), process.shutdown.clone());
    process.spawn(async move {
        publish(publisher, added, shutdown).await;
        Ok(())
    });
    let consumer = Arc::new(Consumer { accept: Arc::new(accept), live });
    let push = devices(&config)?;
    if let Some(push) = &push {
        let send = Arc::new(SendPushes { db: db.clone(), push: Arc::clone(push) });
        let shutdown = process.shutdown.clone();
        process.spawn(async move {
            send.run(shutdown).await;
            Ok(())
        });
    }
    let grpc = GrpcServer { db: db.clone(), verifier, consumer: Arc::clone(&consumer), push };
    let send = Arc::new(SendMails {
        db,
        directory,
        renderer: Renderer::new(&config.public_url, &config.brand, &config.support_email)?,
        sender: Sender::parse(&config.mail_from)?,
        transport: transport(&config)?,
        queued,
    });
    process.consume(&bus, QUEUE, consumer);
    let (sweeper, shutdown) = (Arc::clone(&send), process.shutdown.clone());
    process.spawn(async move {
        sweeper.sweep(shutdown).await;
        Ok(())
    });
    let shutdown = process.shutdown.clone();
    process.spawn(async move {
        send.run(shutdown).await;
        Ok(())
    });
    process.serve(&config.service, grpc.routes()).await?;
    process.run(&config.service.ops).await
}

/// How notices get to devices, if they do.
fn devices(config: &Config) -> anyhow::Result<Option<Arc<Push>>> {
    let Some(file) = config.push_key_file.as_deref().filter(|file| !file.as_os_str().is_empty()) else {
        return Ok(None);
    };
    let services = PushServices::parse(&config.push_services).map_err(|error| anyhow!("PUSH_SERVICES: {error}"))?;
    if services.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(Push {
        keys: PushKeys::read(file)?,
        services,
        http: push::client(Arc::new(PublicAddresses)).build()?,
        subject: format!("mailto:{}", config.support_email),
    })))
}

/// The relay if there is one, else the folder.
fn transport(config: &Config) -> anyhow::Result<Transport> {
    match (config.smtp_url.as_deref().filter(|url| !url.is_empty()), &config.mail_dir) {
        (Some(url), _) => Transport::relay(url, u32::try_from(CONCURRENCY)?),
        (None, Some(folder)) => Transport::folder(folder),
        (None, None) => bail!("set SMTP_URL or MAIL_DIR"),
    }
}
