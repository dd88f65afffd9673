//! The wallet with a standby, a real one that streams from the server of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use chassis::clock::to_proto;
use chassis::db::{PgConnection, Reads};
use chassis::testing::with_token;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::{
    GetFiguresRequest, GetStatementRequest, ListStaffTransactionsRequest, ListStaffTransactionsResponse,
    TransactionStatus,
};
use sqlx::{AssertSqlSafe, Connection, Executor, PgPool};
use time::OffsetDateTime;
use tokio::time::sleep;
use wallet::error::Error;

use crate::fixture::{World, deposit};

/// A copy of the server of the tests that follows it, in a folder of its own.
struct Standby {
    folder: PathBuf,
    url: String,
}

impl Standby {
    /// Copies the server and starts the copy. The URL is that of the database of this pool.
    async fn start(pool: &PgPool) -> Self {
        let primary = std::env::var("DATABASE_URL").expect("run this under stack testbed");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let folder = std::env::temp_dir().join(format!("solvane-standby-{port}"));
        let (server, _) = primary.rsplit_once('/').unwrap();
        let (user, _) = server.rsplit_once(':').unwrap();
        let url = format!("{user}:{port}/{}", pool.connect_options().get_database().unwrap());
        let standby = Self { folder, url };
        let most: String = sqlx::query_scalar("SHOW max_connections").fetch_one(pool).await.unwrap();
        let data = standby.folder.to_str().unwrap();
        let copy = [
            "--checkpoint=fast",
            "--wal-method=stream",
            "--write-recovery-conf",
            "--no-sync",
            "-d",
            &primary,
            "-D",
            data,
        ];
        run("pg_basebackup", &copy);
        let options = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections={most} \
             -c shared_buffers=32MB -c fsync=off -c autovacuum=off"
        );
        let log = standby.folder.join("log");
        run("pg_ctl", &["--silent", "--wait", "-D", data, "-l", log.to_str().unwrap(), "-o", &options, "start"]);
        // One that has replayed nothing since it started does not know how old its data are.
        sqlx::raw_sql("SELECT pg_current_xact_id()").execute(pool).await.unwrap();
        standby
    }

    async fn execute(&self, sql: &'static str) {
        let mut conn = sqlx::PgConnection::connect(&self.url).await.unwrap();
        conn.execute(sql).await.unwrap();
    }

    /// Waits until it has everything that the primary committed.
    async fn follow(&self, pool: &PgPool) {
        let end: String = sqlx::query_scalar("SELECT pg_current_wal_insert_lsn()::text").fetch_one(pool).await.unwrap();
        let mut conn = sqlx::PgConnection::connect(&self.url).await.unwrap();
        let has = format!("SELECT pg_last_wal_replay_lsn() >= '{end}'");
        while !sqlx::query_scalar::<_, bool>(AssertSqlSafe(has.clone())).fetch_one(&mut conn).await.unwrap() {
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn stop(&self) {
        run("pg_ctl", &["--silent", "-D", self.folder.to_str().unwrap(), "--mode=immediate", "stop"]);
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        if self.folder.join("postmaster.pid").exists() {
            self.stop();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Runs a program of PostgreSQL as its user: none of them runs as root.
fn run(program: &str, arguments: &[&str]) {
    let mut versions: Vec<_> =
        std::fs::read_dir("/usr/lib/postgresql").unwrap().map(|one| one.unwrap().path()).collect();
    versions.sort();
    let path = versions.last().unwrap().join("bin").join(program);
    let is_root =
        std::fs::metadata(Path::new("/proc/self")).map(|own| std::os::unix::fs::MetadataExt::uid(&own)).unwrap() == 0;
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"]).arg(path);
        command
    } else {
        Command::new(path)
    };
    let status = command.args(arguments).current_dir("/").status().unwrap();
    assert!(status.success(), "{program}");
}

async fn list(world: &World, status: TransactionStatus) -> ListStaffTransactionsResponse {
    let message = ListStaffTransactionsRequest { status: status.into(), ..Default::default() };
    world.grpc.list_staff_transactions(with_token(message, &world.reviewer)).await.unwrap().into_inner()
}

/// [R9] [D-H1] Lists and figures of staff are read from the standby, with their age once they are old. What waits for a
/// decision and statements are current. When the standby is gone, the primary answers.
#[sqlx::test(migrations = false)]
async fn lists_are_read_from_the_standby(pool: PgPool) {
    let mut world = World::new(pool.clone()).await;
    let member = world.member_with(20_000).await;
    let standby = Standby::start(&pool).await;
    for server in world.grpc.servers_mut() {
        server.reads = Reads::new(server.db.clone(), Some(&standby.url), 2).unwrap();
    }
    standby.follow(&pool).await;
    let all = list(&world, TransactionStatus::Unspecified).await;
    assert_eq!((all.transactions.len(), all.as_of), (1, None));

    standby.execute("SELECT pg_wal_replay_pause()").await;
    world.deposit(&member, deposit(30_000)).await.unwrap();
    assert_eq!(list(&world, TransactionStatus::Unspecified).await.transactions.len(), 1, "of the standby");
    assert_eq!(list(&world, TransactionStatus::Pending).await.transactions.len(), 1, "of the primary");
    world.buy_course(&member).await.unwrap();
    let now = OffsetDateTime::now_utc() + time::Duration::SECOND;
    let request =
        GetStatementRequest { from: Some(to_proto(now - time::Duration::HOUR)), to: Some(to_proto(now)), page: None };
    let statement = world.grpc.get_statement(with_token(request, &member.token)).await.unwrap().into_inner();
    assert_eq!(statement.closing_balance_cents, 11_300, "of the primary");
    sleep(Duration::from_secs(6)).await;
    let old = list(&world, TransactionStatus::Unspecified).await;
    let as_of = old.as_of.and_then(|at| chassis::clock::from_proto(&at)).unwrap();
    let age = OffsetDateTime::now_utc() - as_of;
    assert!(age > time::Duration::seconds(5) && age < time::Duration::minutes(2), "{age}");
    let figures = world.grpc.get_figures(with_token(GetFiguresRequest { days: 7 }, &world.reviewer)).await.unwrap();
    assert!(figures.into_inner().as_of.is_some());

    standby.execute("SELECT pg_wal_replay_resume()").await;
    standby.follow(&pool).await;
    assert_eq!(list(&world, TransactionStatus::Unspecified).await.transactions.len(), 3);

    standby.stop();
    let began = std::time::Instant::now();
    let current = list(&world, TransactionStatus::Unspecified).await;
    assert_eq!((current.transactions.len(), current.as_of), (3, None));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

/// [D-H1] Nothing can be written where reads go, even with a role that may write.
#[sqlx::test(migrations = false)]
async fn nothing_is_written_through_reads(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let server = std::env::var("DATABASE_URL").unwrap();
    let (server, _) = server.rsplit_once('/').unwrap();
    let url = format!("{server}/{}", pool.connect_options().get_database().unwrap());
    let reads = Reads::new(world.grpc.db.clone(), Some(&url), 1).unwrap();
    let setting = |mut conn: Box<PgConnection>| async move {
        let shown: String = sqlx::query_scalar("SHOW default_transaction_read_only").fetch_one(&mut *conn).await?;
        Ok::<_, Error>(shown)
    };
    assert_eq!(reads.read(setting).await.unwrap().value, "on");
    assert_eq!(reads.read_current(setting).await.unwrap(), "on");
}
