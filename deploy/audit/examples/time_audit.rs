//! Measures the audit on ledgers of several sizes:
//! `stack testbed -- cargo run -p audit --example time_audit -- 100000 1000000`.
//! Each has one member per hundred entries, and a trade for each member but the first. Prints the total time, then the
//! slowest checks. Takes about two minutes per million entries.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use audit::checks::checks;
use audit::{Urls, audit};
use chassis::audit::{Act, append};
use chassis::db::Db;
use chassis::identity::{Role, Staff};
use sqlx::{AssertSqlSafe, Connection, PgConnection, raw_sql};
use stack::Service;
use uuid::Uuid;

/// Checks that are shown.
const SHOWN: usize = 8;
/// Trades written at once.
const TRADES: usize = 20_000;

#[tokio::main]
async fn main() -> Result<()> {
    let server = std::env::var("DATABASE_URL").context("run this under stack testbed")?;
    for entries in std::env::args().skip(1) {
        let entries: i64 = entries.parse().context("the arguments are numbers of entries")?;
        let urls = fill(&server, entries).await?;
        let began = Instant::now();
        let verdicts = audit(&urls, None).await?;
        let took = began.elapsed();
        let broken: Vec<_> = verdicts.iter().filter(|verdict| !verdict.offending.is_empty()).collect();
        ensure!(broken.is_empty(), "the books do not verify: {broken:?}");
        let mut out = io::stdout();
        writeln!(out, "{entries} entries: {:.1} s for {} checks", took.as_secs_f64(), verdicts.len())?;
        for (seconds, promise) in slowest(&urls).await? {
            writeln!(out, "  {seconds:.2} s  {promise}")?;
        }
    }
    Ok(())
}

/// The databases of a product whose members trade.
async fn fill(server: &str, entries: i64) -> Result<Urls> {
    let mut urls = Vec::new();
    for service in Service::services() {
        let name = format!("{}_{entries}", service.name().replace('-', "_"));
        raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut PgConnection::connect(server).await?)
            .await?;
        let url = format!("{}/{name}", server.rsplit_once('/').context("the url names no database")?.0);
        let mut connection = PgConnection::connect(&url).await?;
        for folder in ["chassis", service.name()] {
            for migration in migrations(folder)? {
                raw_sql(AssertSqlSafe(migration)).execute(&mut connection).await?;
            }
        }
        urls.push((service.name().to_owned(), url));
    }
    let urls = Urls::of(&urls.into_iter().collect())?;
    let mut wallet = PgConnection::connect(urls.get(Service::Wallet)?).await?;
    raw_sql(include_str!("../../../services/wallet/examples/ledger.sql")).execute(&mut wallet).await?;
    sqlx::query("SELECT fill_ledger($1::integer, $2)").bind(entries / 100).bind(entries).execute(&mut wallet).await?;
    let members: Vec<Uuid> =
        sqlx::query_scalar("SELECT user_id FROM accounts WHERE kind = 'available'").fetch_all(&mut wallet).await?;
    let mut auth = PgConnection::connect(urls.get(Service::Auth)?).await?;
    sqlx::query(
        "INSERT INTO users (id, name, email, phone, country, password_hash, created_at)
         SELECT id, 'Ada', id || '@solvane.test', '', '', '$argon2id$v=19$x', now() FROM unnest($1::uuid[]) AS id",
    )
    .bind(members)
    .execute(&mut auth)
    .await?;
    open_trades(&mut wallet, urls.get(Service::Trade)?).await?;
    record_decisions(&mut wallet, urls.get(Service::Wallet)?).await?;
    for url in [urls.get(Service::Wallet)?, urls.get(Service::Trade)?, urls.get(Service::Auth)?] {
        raw_sql("VACUUM ANALYZE").execute(&mut PgConnection::connect(url).await?).await?;
    }
    // Last, because events published more than a minute ago must have arrived.
    raw_sql(
        "INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, created_at, published_at)
         SELECT gen_random_uuid(), 'wallet.v1.deposit_' || what, id, '', '{}', now(), now() FROM transactions,
            unnest(ARRAY['requested', 'confirmed']) AS what WHERE kind = 'deposit'",
    )
    .execute(&mut wallet)
    .await?;
    Ok(urls)
}

/// A trade for every funding.
async fn open_trades(wallet: &mut PgConnection, trade: &str) -> Result<()> {
    let mut trade = PgConnection::connect(trade).await?;
    let plan = Uuid::new_v4();
    sqlx::query("INSERT INTO plans VALUES ($1, 1, 'Starter', '', 1, 100000, 500, 30, true, now())")
        .bind(plan)
        .execute(&mut trade)
        .await?;
    let fundings: Vec<(Uuid, Uuid)> =
        sqlx::query_as("SELECT trade_id, user_id FROM trade_fundings").fetch_all(wallet).await?;
    for some in fundings.chunks(TRADES) {
        let (trades, users): (Vec<_>, Vec<_>) = some.iter().copied().unzip();
        sqlx::query(
            "INSERT INTO trades SELECT id, user_id, $3, 'Starter', 1, 100000, 500, 30, 100, 1000000, 'open', NULL, NULL,
                now(), now() + interval '30 days'
             FROM unnest($1::uuid[], $2::uuid[]) AS made (id, user_id)",
        )
        .bind(trades)
        .bind(users)
        .bind(plan)
        .execute(&mut trade)
        .await?;
    }
    Ok(())
}

/// An audit row for every deposit, from before decisions were signed.
async fn record_decisions(wallet: &mut PgConnection, url: &str) -> Result<()> {
    let deposits: Vec<(Uuid, Uuid)> =
        sqlx::query_as("SELECT id, decided_by FROM transactions WHERE kind = 'deposit'").fetch_all(wallet).await?;
    let db = Db::connect_lazy(url, 1)?;
    let mut tx = db.begin().await?;
    for (id, reviewer) in deposits {
        let act = Act {
            staff: &Staff::new(reviewer.into(), Role::Reviewer),
            action: "deposit.approve",
            subject_id: id.to_string(),
            member_id: None,
            before: None,
            after: None,
            address: "",
        };
        append(&mut tx, act).await?;
    }
    Ok(tx.commit().await?)
}

/// The slowest checks of one database, in seconds.
async fn slowest(urls: &Urls) -> Result<Vec<(f64, String)>> {
    let mut times = Vec::new();
    for check in checks() {
        let mut connection = PgConnection::connect(urls.get(check.database)?).await?;
        let began = Instant::now();
        sqlx::query(check.offending).fetch_all(&mut connection).await?;
        times.push((began.elapsed().as_secs_f64(), format!("[{}] {}", check.ids, check.promise)));
    }
    times.sort_by(|one, other| other.0.total_cmp(&one.0));
    times.truncate(SHOWN);
    Ok(times)
}

fn migrations(service: &str) -> Result<Vec<String>> {
    let service = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services").join(service);
    let mut migrations = Vec::new();
    for folder in ["migrations", "sql"].map(|folder| service.join(folder)).iter().filter(|folder| folder.exists()) {
        let mut files = Vec::new();
        for file in std::fs::read_dir(folder)? {
            files.push(file?.path());
        }
        files.sort();
        for file in files {
            migrations.push(std::fs::read_to_string(file)?);
        }
    }
    Ok(migrations)
}
