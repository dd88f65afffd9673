//! Measures what the funding of a trade and the hold of a withdrawal cost PostgreSQL, in commits of several sizes:
//! `stack testbed -- cargo run -p wallet --example holds -- 5000 1 8 128`.
//! The first argument is how many members do so in each measurement. The CPU time is that of the database's processes,
//! so the profile of this program matters little.

use chassis::id::MemberId;
use std::io::{self, Write};

use anyhow::{Context, Result, ensure};
use chassis::db::{Db, migrate_url};
use chassis::idempotency::Claim;
use chassis::money::Cents;
use futures::future::try_join_all;
use proto::common::v1::Idempotency;
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, raw_sql};
use time::OffsetDateTime;
use uuid::Uuid;
use wallet::SCHEMA;
use wallet::app::trade::fund_trade::{FundTrade, fund_trade};
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::limits::Limits;
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::domain::transaction::{Destination, MethodCopy, Transaction};
use wallet::events::published;
use wallet::posting::ledger::Ledger;
use wallet::posting::{Movement, Posting, Precondition, post};

/// Lets money come from nowhere.
const TRANSFERS: &str = "INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits)
    VALUES ('transfer', 'unchecked', NULL, '', '{settlement}', '{available}')";

/// What each member invests and withdraws.
const AMOUNT: Cents = Cents::new(10_000);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let server = std::env::var("DATABASE_URL").context("run this under stack testbed")?;
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let members = numbers.next().context("how many members?")??;
    let database = format!("holds_{}", Uuid::new_v4().simple());
    raw_sql(AssertSqlSafe(format!("CREATE DATABASE {database}"))).execute(&PgPool::connect(&server).await?).await?;
    let url = format!("{}/{database}", server.rsplit_once('/').context("the url names no database")?.0);
    migrate_url(&url, SCHEMA).await?;
    let pool = PgPoolOptions::new().max_connections(1).connect(&url).await?;
    raw_sql(TRANSFERS).execute(&pool).await?;
    let db = Db::connect_lazy(&url, 4)?;
    let (ledger, writer) = Ledger::new(db.clone());
    tokio::spawn(writer);
    for at_once in numbers {
        let at_once = at_once?;
        let members = with_money(&db, members).await?;
        raw_sql("VACUUM ANALYZE").execute(&pool).await?;
        // Plans and types that a connection learns first.
        let (warm, measured) = members.split_at(members.len() / 10);
        for what in [Work::Fund, Work::Hold] {
            work(&ledger, warm, at_once, what).await?;
            let before = spent(&pool).await?;
            work(&ledger, measured, at_once, what).await?;
            let (ms, wal) = spent(&pool).await?;
            let count = i64::try_from(measured.len())?.max(1);
            let (us, wal) = ((ms - before.0) * 1_000 / count, (wal - before.1) / count);
            writeln!(
                io::stdout(),
                "{at_once:>4} at once: {us} µs of PostgreSQL's CPU and {wal} bytes of WAL a {what:?}"
            )?;
        }
    }
    Ok(())
}

async fn with_money(db: &Db, count: usize) -> Result<Vec<MemberId>> {
    let members: Vec<MemberId> = (0..count).map(|_| Uuid::new_v4().into()).collect();
    for some in members.chunks(500) {
        let way = |member| (AccountRef::House(HouseAccount::Settlement), AccountRef::available(member));
        let cause = || Cause::Unchecked(Uuid::new_v4());
        let deposits: Vec<_> = some
            .iter()
            .map(|member| {
                Posting::transfer(PostingKind::Transfer, cause(), *member, way(*member), Cents::new(1_000_000))
            })
            .collect::<Result<_, _>>()?;
        let mut tx = db.begin().await?;
        post(&mut tx, &deposits).await?;
        tx.commit().await?;
    }
    Ok(members)
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Fund,
    Hold,
}

/// Lets each member do this, a number of them at once.
async fn work(ledger: &Ledger, members: &[MemberId], at_once: usize, what: Work) -> Result<()> {
    for some in members.chunks(at_once) {
        try_join_all(some.iter().map(async |member| match what {
            Work::Fund => fund(ledger, *member).await,
            Work::Hold => hold(ledger, *member).await,
        }))
        .await?;
    }
    Ok(())
}

async fn fund(ledger: &Ledger, user_id: MemberId) -> Result<()> {
    let (trade_id, plan_title) = (Uuid::new_v4().into(), "Growth".to_owned());
    Ok(fund_trade(ledger, &FundTrade { trade_id, user_id, amount: AMOUNT, plan_title }).await?)
}

async fn hold(ledger: &Ledger, user_id: MemberId) -> Result<()> {
    let (now, limits) = (OffsetDateTime::now_utc(), Limits::default());
    let method = MethodCopy {
        id: Uuid::new_v4().into(),
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: String::new(),
        memo: String::new(),
        version: 1,
    };
    let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq".to_owned();
    let to = Destination { address, memo: String::new() };
    let transaction = Transaction::withdrawal(user_id, AMOUNT, method, (Some(to), Some(now)), now)?;
    let way = (AccountRef::available(user_id), AccountRef::held(user_id));
    let cause = Cause::Transaction(transaction.id);
    let key = Idempotency {
        key: Uuid::new_v4().to_string(),
        route: "POST /v1/transactions/withdraw".to_owned(),
        fingerprint: vec![7; 32],
    };
    let movement = Movement {
        user_id,
        precondition: Some(Precondition::WithdrawalAllowed {
            amount: AMOUNT,
            min: limits.withdrawal_min,
            allowances: limits.allowances,
            at: now,
        }),
        postings: vec![Posting::transfer(PostingKind::WithdrawalHold, cause, user_id, way, AMOUNT)?],
        lines: vec![transaction.clone()],
        events: vec![published::withdrawal_requested(&transaction)],
    };
    let answer = ledger.post(movement, Claim::of(user_id, Some(&key), "example")?, transaction).await?;
    ensure!(answer.replayed.is_none(), "the key was used");
    Ok(())
}

/// Milliseconds of CPU that the server's processes have spent, and bytes of WAL that it has written.
async fn spent(pool: &PgPool) -> Result<(i64, i64)> {
    let sql = "SELECT (SELECT sum(ticks)::bigint * 10 FROM pg_stat_activity, LATERAL (
            SELECT fields[12]::bigint + fields[13]::bigint AS ticks FROM regexp_split_to_array(
                regexp_replace(pg_read_file(format('/proc/%s/stat', pid)), '^.*\\) ', ''), ' ') AS fields) AS used
            WHERE backend_type IN ('client backend', 'walwriter', 'background writer') AND pid <> pg_backend_pid()),
        pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint";
    Ok(sqlx::query_as(sql).fetch_one(pool).await?)
}
