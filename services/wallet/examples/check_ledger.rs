//! Measures the minute's check of the ledger on ledgers of several sizes:
//! `stack testbed -- cargo run -p wallet --example check_ledger -- 100000 1000000 10000000`.
//! Each has a member a hundred entries. A minute is a thousand new postings and the walk's share; the time that counts is the
//! CPU time of the database's process, since others may use the machine. Takes about two minutes a million entries.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use chassis::db::{Db, migrate_url};
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, raw_sql};
use wallet::SCHEMA;
use wallet::app::ledger::check_ledger::check_ledger;

/// New postings a minute.
const POSTINGS: i32 = 1_000;
/// Minutes of which the median is shown.
const MINUTES: usize = 5;

#[tokio::main]
async fn main() -> Result<()> {
    let server = std::env::var("DATABASE_URL").context("run this under stack testbed")?;
    let mut out = io::stdout();
    writeln!(out, "entries    first check   a minute of {POSTINGS} postings (CPU ms; wall ms)   without any")?;
    for entries in std::env::args().skip(1) {
        let entries: i64 = entries.parse().context("the arguments are numbers of entries")?;
        measure(&server, entries, &mut out).await?;
    }
    Ok(())
}

async fn measure(server: &str, entries: i64, out: &mut impl Write) -> Result<()> {
    let name = format!("check_{entries}");
    raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&PgPool::connect(server).await?).await?;
    let url = format!("{}/{name}", server.rsplit_once('/').context("the url names no database")?.0);
    migrate_url(&url, SCHEMA).await?;
    // One connection, so that its process did all the work.
    let pool = PgPoolOptions::new().max_connections(1).connect(&url).await?;
    raw_sql(include_str!("ledger.sql")).execute(&pool).await?;
    sqlx::query("SELECT fill_ledger($1::integer, $2)").bind(entries / 100).bind(entries).execute(&pool).await?;
    raw_sql("VACUUM ANALYZE").execute(&pool).await?;
    let db = Db::from_pool(pool.clone());
    let first = checked(&db, &pool).await?;
    let (mut busy, mut idle) = (Vec::new(), Vec::new());
    for _ in 0..MINUTES {
        sqlx::query("SELECT add_trades($1)").bind(POSTINGS).execute(&pool).await?;
        busy.push(checked(&db, &pool).await?);
        idle.push(checked(&db, &pool).await?);
    }
    let median = |times: &mut Vec<(i64, u128)>| {
        times.sort_unstable();
        let (cpu, wall) = times.get(times.len() / 2).copied().unwrap_or_default();
        format!("{cpu}; {wall}")
    };
    writeln!(out, "{entries:9} {:6}; {:6} {:>30} {:>24}", first.0, first.1, median(&mut busy), median(&mut idle))?;
    Ok(())
}

/// A check: CPU and wall time in milliseconds.
async fn checked(db: &Db, pool: &PgPool) -> Result<(i64, u128)> {
    let (cpu, began) = (cpu_ms(pool).await?, Instant::now());
    ensure!(check_ledger(db).await?, "the ledger does not verify");
    Ok((cpu_ms(pool).await? - cpu, began.elapsed().as_millis()))
}

/// CPU time of the server process behind the only connection.
async fn cpu_ms(pool: &PgPool) -> Result<i64> {
    let ticks = "SELECT (fields[12]::bigint + fields[13]::bigint) * 10 FROM regexp_split_to_array(
        regexp_replace(pg_read_file('/proc/self/stat'), '^.*\\) ', ''), ' ') AS fields";
    Ok(sqlx::query_scalar(ticks).fetch_one(pool).await?)
}
