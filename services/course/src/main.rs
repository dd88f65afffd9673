//! The process course, and the commands for operators.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use chassis::auth_client;
use chassis::command;
use chassis::db::Db;
use chassis::erasure::Eraser;
use chassis::grpc;
use chassis::process::{Allocator, Process};
use chassis::roots::Covers;
use chassis::sweep::every;
use clap::{Args, Subcommand};
use course::MIGRATOR;
use course::app::erase_members::MemberRecords;
use course::app::export_course::export_course;
use course::app::import_course::import_course;
use course::app::process_media::Worker;
use course::app::publish_first_version;
use course::app::sweep_media::{retire_media, sweep_media, sweep_objects};
use course::clients::Wallet;
use course::config::{Config, Programs, SandboxConfig, WorkerConfig};
use course::domain::files;
use course::error::Error;
use course::folder;
use course::grpc::GrpcServer;
use course::objects::Objects;
use course::store::{media, streams};
use course::transcoder::{self, Place, Remote, Sandbox, Transcoder};
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NAME: &str = "course";

#[derive(Subcommand)]
enum Command {
    /// Publishes a folder of Markdown files as a new version.
    Import(Content),
    /// Writes the published version as a folder of Markdown files.
    Export(Content),
    /// Makes videos of uploaded files.
    Worker(WorkerConfig),
    /// Runs ffmpeg for the worker, where there is no secret.
    Sandbox(SandboxConfig),
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
    command::run_with(NAME, &MIGRATOR, serve, run).await
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Import(content) => import(&content).await,
        Command::Export(content) => export(&content).await,
        Command::Worker(config) => work(config).await,
        Command::Sandbox(config) => run_programs(config).await,
    }
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let (mut process, db, _) = Process::of_service(NAME, &config.service, Covers::AuditLog)?;
    let (auth, verifier) = auth_client::connect(NAME, &config.service)?;
    let eraser = Eraser::new(db.clone(), auth, config.service.keys.credential(NAME)?);
    process.spawn(eraser.run(MemberRecords, process.shutdown.clone()));
    let wallet = Wallet::new(
        grpc::channel("wallet", &config.wallet_url, &config.service.tls)?,
        config.service.keys.credential(NAME)?,
    );
    process.spawn(publish_first_version::run(db.clone(), process.shutdown.clone()));
    process.spawn(retire(db.clone(), process.shutdown.clone()));
    process.spawn(watch_streams(db.clone(), process.shutdown.clone()));
    process.spawn(measure_queue(db.clone(), process.shutdown.clone()));
    let routes = GrpcServer { db, verifier, wallet, limits: config.limits() }.routes();
    process.serve(&config.service, routes).await?;
    process.run(&config.service.ops).await
}

async fn work(config: WorkerConfig) -> anyhow::Result<()> {
    let mut process = Process::start("course-worker", &config.ops)?;
    let db = process.database(&config.database_url, 4)?;
    let objects = Objects::new(chassis::config::object_store(&config.files_url)?);
    let (place, folder) = match &config.sandbox_socket {
        None => (Place::Here(sandbox(config.programs).await?), config.work_dir.clone()),
        Some(socket) => {
            let remote = Remote::new(socket.clone(), &config.work_dir)?;
            let folder = remote.folder();
            (Place::Elsewhere(remote), folder)
        }
    };
    let worker = Worker {
        db: db.clone(),
        objects: objects.clone(),
        transcoder: Transcoder::new(place, config.transcode_threads),
        folder,
        shutdown: process.shutdown.clone(),
    };
    process.spawn(worker.run());
    process.spawn(sweep(db, objects, config.source_days, process.shutdown.clone()));
    process.run(&config.ops).await
}

async fn sandbox(programs: Programs) -> anyhow::Result<Sandbox> {
    const MB: u64 = 1_000_000;
    Sandbox::new(programs.transcode_memory_mb * MB, programs.transcode_file_mb * MB).await
}

async fn run_programs(config: SandboxConfig) -> anyhow::Result<()> {
    let mut process = Process::start("course-sandbox", &config.ops)?;
    let (sandbox, shutdown) = (sandbox(config.programs).await?, process.shutdown.clone());
    process.spawn(async move { transcoder::serve(sandbox, &config.sandbox_socket, shutdown).await });
    process.run(&config.ops).await
}

/// Removes what nobody needs: every minute what the database names, every hour what only the store has.
async fn sweep(db: Db, objects: Objects, source_days: u32, shutdown: CancellationToken) -> anyhow::Result<()> {
    let of_rows = every(Duration::from_secs(60), "files of the course", shutdown.clone(), async || {
        sweep_media(&db, &objects, source_days).await
    });
    let of_store =
        every(Duration::from_hours(1), "files without a row", shutdown, async || sweep_objects(&db, &objects).await);
    tokio::join!(of_rows, of_store);
    Ok(())
}

/// The worker does not see which files versions and drafts have.
async fn retire(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    every(Duration::from_secs(60), "unused files", shutdown, async || retire_media(&db).await).await;
    Ok(())
}

async fn watch_streams(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    let batch = async || streams::sweep(&mut *db.conn().await?).await;
    every(Duration::from_secs(60), "streams", shutdown, batch).await;
    Ok(())
}

/// Measures here, not in the worker, so that a queue without a worker is seen.
async fn measure_queue(db: Db, shutdown: CancellationToken) -> anyhow::Result<()> {
    let measure = async || {
        let (length, oldest_seconds) = media::queue(&mut *db.conn().await?).await?;
        let gauge = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
        metrics::gauge!("media_queue_length").set(gauge(length));
        metrics::gauge!("media_queue_oldest_seconds").set(gauge(oldest_seconds));
        Ok::<_, Error>(0)
    };
    every(Duration::from_secs(15), "queue of files", shutdown, measure).await;
    Ok(())
}

async fn import(content: &Content) -> anyhow::Result<()> {
    let course = files::parse(&folder::read(&content.folder)?)?;
    let version = match import_course(&Db::connect_lazy(&content.database_url, 1)?, &course).await {
        Err(Error::Unfit(parts)) => anyhow::bail!(parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
        version => version?,
    };
    print_line(&format!("published version {version} with {} lessons", course.lessons().count()))
}

async fn export(content: &Content) -> anyhow::Result<()> {
    let course = export_course(&Db::connect_lazy(&content.database_url, 1)?).await?;
    folder::write(&content.folder, &files::write(&course))?;
    print_line(&format!("wrote {} lessons to {}", course.lessons().count(), content.folder.display()))?;
    match course.media().count() {
        0 => Ok(()),
        files => print_line(&format!(
            "the folder names {files} videos and attachments, but does not have them: it can be imported only into a \
             product with the same files"
        )),
    }
}

fn print_line(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}
