//! What the most frequent statements cost in tables of growing size: the buffers that they read, which other load does not
//! change, and their time. [D-H5]

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use stack::Service;
use stack::preparation;
use stack::servers::postgres::{self, Durability, Postgres};

/// Entries of the ledger for each member; of every other table there are fewer.
const ENTRIES_OF_MEMBER: u64 = 40;
/// How often each statement runs, for a different member each time.
const RUNS: u64 = 200;
/// A statement reads at most this many times the buffers that it reads in the smallest tables: an index of a hundred times as
/// many rows is a level or two deeper.
const FLAT: u64 = 2;

/// The databases and their rows.
const FILLS: [(Service, &str); 3] = [
    (Service::Auth, include_str!("growth/auth.sql")),
    (Service::Wallet, include_str!("growth/wallet.sql")),
    (Service::Trade, include_str!("growth/trade.sql")),
];

/// A statement of the product: its name, the database, the crate and a part of its text by which it is found there, and its
/// arguments, in which `{member}` and `{number}` are those of a member.
struct Statement(&'static str, Service, &'static str, &'static str, &'static str);

const MEMBER: &str = "'{member}'";
const SESSION: &str = "ARRAY[md5('session 2 {number}')::uuid]";
const HISTORY: &str = "'{member}', NULL, NULL, 51";
const KEY: &str = "'{member}', 'POST /v1/trades/create', 'a key'";
const TRADES: &str = "now(), '{member}', '{open}'";
const EVENT: &str = "gen_random_uuid(), 'wallet.v1.trade_funded', '{member}', '\\x01', '{}'";
/// The opening of a trade: a precondition, a key, a posting with two entries, a line and an event.
const MOVEMENT: &str = "false, 1, '{}',
    ARRAY[('{member}', 'available'), ('{member}', 'invested')]::ledger_account[],
    ARRAY[(1, '{member}', 'POST /v1/trades/create', 'key', '\\x01', 'x', '{}')]::ledger_key[],
    ARRAY[(1, 1, 'trade_unknown', md5('trade {number}')::uuid, 100, NULL, now(), NULL, NULL)]::ledger_precondition[],
    ARRAY[(1, 'trade_fund', 'trade', md5('trade {number}')::uuid, '{member}', md5('line {number}')::uuid)]::ledger_posting[],
    ARRAY[(1, 1, -100), (1, 2, 100)]::ledger_entry[],
    ARRAY[ROW(1, jsonb_populate_record(NULL::ledger_transaction, jsonb_build_object('id', md5('line {number}')::uuid,
        'user_id', '{member}', 'kind', 'trade', 'description', 'x', 'status', 'success', 'direction', 'debit',
        'amount_cents', 100, 'fee_paid', false, 'decided_at', now(), 'revision', 1, 'created_at', now(),
        'related_id', md5('trade {number}')::uuid)))]::ledger_line[],
    ARRAY[(1, gen_random_uuid(), 'wallet.v1.trade_funded', '{member}', '\\x01', '{}')]::ledger_event[]";

/// The most frequent statements, by the assumptions of SCALING.md: 38 of 40 requests read, each asks for its session; what
/// moves money is a movement with its key and event; the sweeps run in every process.
const STATEMENTS: [Statement; 12] = [
    Statement("session of a request", Service::Auth, "auth", "FROM sessions s JOIN users u", SESSION),
    Statement(
        "account at a login",
        Service::Auth,
        "auth",
        "FROM users WHERE lower(email) = lower($1)",
        "'member{number}@example.com'",
    ),
    Statement(
        "balances",
        Service::Wallet,
        "wallet",
        r#"FROM open_withdrawals WHERE user_id = $1) AS "is_withdrawal_pending!""#,
        MEMBER,
    ),
    Statement("page of the history", Service::Wallet, "wallet", "ORDER BY created_at DESC, id DESC LIMIT $4", HISTORY),
    Statement(
        "balances at a time",
        Service::Wallet,
        "wallet",
        "SELECT kind, balance_after(id,",
        "'{member}', now() - interval '100 days'",
    ),
    Statement("trades", Service::Trade, "trade", "WHERE t.user_id = $2 AND t.status = ANY ($3)", TRADES),
    Statement("answer under a key", Service::Wallet, "chassis", "SELECT fingerprint, request_id, outcome AS", KEY),
    Statement("movement of money", Service::Wallet, "wallet", "SELECT post_movements(", MOVEMENT),
    Statement("event into the outbox", Service::Wallet, "chassis", "INSERT INTO outbox", EVENT),
    Statement("events to publish", Service::Wallet, "chassis", "SELECT id, event_id, key", "1000"),
    Statement("event into the inbox", Service::Wallet, "chassis", "INSERT INTO inbox", "gen_random_uuid(), 'x'"),
    Statement("sweep of old keys", Service::Wallet, "chassis", "DELETE FROM idempotency_keys WHERE created_at", ""),
];

/// What a statement cost: the middle of the buffers and of the milliseconds of its runs.
type Cost = (u64, f64);

/// Fills tables to each of these sizes, entries of the ledger that is, and measures the statements.
///
/// # Errors
/// When a server does not start, a statement fails, or one reads many times the buffers in the largest tables.
pub async fn measure(sizes: &[u64], say: fn(&str)) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("solvane-growth-").tempdir()?;
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
    let server = Postgres::start(&postgres::Settings {
        folder: folder.path().join("pg"),
        log: folder.path().join("postgres.log"),
        password: uuid::Uuid::new_v4().simple().to_string(),
        durability: Durability::None,
        clock: None,
        certificate: None,
    })
    .await?;
    for (service, _) in FILLS {
        make_database(&server, service, folder.path()).await?;
    }
    let (mut members, mut costs) = (0, Vec::new());
    for size in sizes {
        let wanted = size.div_ceil(ENTRIES_OF_MEMBER);
        ensure!(wanted >= members + RUNS, "sizes grow, by {} rows at least", RUNS * ENTRIES_OF_MEMBER);
        say(&format!("filling up to {size} entries of {wanted} members"));
        for (service, sql) in FILLS {
            fill(&server, service, sql, (members + 1, wanted)).await?;
        }
        members = wanted;
        costs.push(run_all(&server, members).await?);
    }
    report(sizes, &costs, say)
}

fn url(server: &Postgres, service: Service) -> Result<String> {
    let url = server.url();
    let (server, _) = url.rsplit_once('/').context("an address with a database")?;
    Ok(format!("{server}/{}", service.database().context("a service with a database")?))
}

async fn make_database(server: &Postgres, service: Service, folder: &Path) -> Result<()> {
    let name = service.database().context("a service with a database")?;
    let mut admin = PgConnection::connect(&server.url()).await?;
    admin.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await?;
    let log = folder.join(format!("{name}-migrate.log"));
    preparation::migrate_one(preparation::binaries()?, service, log, url(server, service)?).await
}

async fn fill(server: &Postgres, service: Service, sql: &str, (first, last): (u64, u64)) -> Result<()> {
    let sql = sql.replace("{first}", &first.to_string()).replace("{last}", &last.to_string());
    let mut conn = PgConnection::connect(&url(server, service)?).await?;
    // VACUUM and CHECKPOINT do not run in a transaction, as several statements in one message would be.
    for statement in sql.split_inclusive(";\n") {
        conn.execute(AssertSqlSafe(statement)).await.with_context(|| format!("filling {}", service.name()))?;
    }
    Ok(())
}

async fn run_all(server: &Postgres, members: u64) -> Result<Vec<Cost>> {
    let mut costs = Vec::new();
    for statement in &STATEMENTS {
        let mut conn = PgConnection::connect(&url(server, statement.1)?).await?;
        conn.execute("SET plan_cache_mode = force_generic_plan").await?;
        let prepare = format!("PREPARE one AS {}", text_of(statement)?);
        conn.execute(AssertSqlSafe(prepare)).await.with_context(|| statement.0.to_owned())?;
        costs.push(run(&mut conn, statement, members).await.with_context(|| statement.0.to_owned())?);
    }
    Ok(costs)
}

/// The text of a statement as the compiler checked it.
fn text_of(Statement(name, _, folder, part, _): &Statement) -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services").join(folder).join(".sqlx");
    for file in std::fs::read_dir(folder)? {
        let known: Value = serde_json::from_slice(&std::fs::read(file?.path())?)?;
        if let Some(query) = known["query"].as_str().filter(|query| query.contains(part)) {
            return Ok(query.to_owned());
        }
    }
    anyhow::bail!("no statement is {name}")
}

/// Runs a statement for members all over the tables, undoing what it does.
async fn run(conn: &mut PgConnection, statement: &Statement, members: u64) -> Result<Cost> {
    let (mut buffers, mut times) = (Vec::new(), Vec::new());
    for number in (0..RUNS).map(|run| 1 + run * (members - 1) / RUNS) {
        let member: uuid::Uuid = sqlx::query_scalar("SELECT md5('member ' || $1)::uuid")
            .bind(number.to_string())
            .fetch_one(&mut *conn)
            .await?;
        let arguments = statement.4.replace("{member}", &member.to_string()).replace("{number}", &number.to_string());
        let call = if arguments.is_empty() { "one".to_owned() } else { format!("one({arguments})") };
        let mut tx = conn.begin().await?;
        let explain = AssertSqlSafe(format!("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE {call}"));
        let told: Value = sqlx::query_scalar(explain).fetch_one(&mut *tx).await?;
        tx.rollback().await?;
        let (plan, time) = (&told[0]["Plan"], &told[0]["Execution Time"]);
        let read = ["Shared Hit Blocks", "Shared Read Blocks"].map(|kind| plan[kind].as_u64());
        buffers.push(read.into_iter().flatten().sum());
        times.push(time.as_f64().context("a time")?);
    }
    buffers.sort_unstable();
    times.sort_unstable_by(f64::total_cmp);
    Ok((buffers[buffers.len() / 2], times[times.len() / 2]))
}

/// Prints a table, and fails when a statement became expensive.
fn report(sizes: &[u64], costs: &[Vec<Cost>], say: fn(&str)) -> Result<()> {
    let heads: Vec<_> = sizes.iter().map(|size| format!("{:>20}", format!("{size} rows"))).collect();
    say(&format!("{:24}{}", "p50: buffers, ms", heads.join("")));
    let mut grown = Vec::new();
    for (number, statement) in STATEMENTS.iter().enumerate() {
        let of_sizes: Vec<_> = costs.iter().map(|of_size| of_size[number]).collect();
        let cells: Vec<_> = of_sizes.iter().map(|(read, ms)| format!("{:>20}", format!("{read}, {ms:.2}"))).collect();
        say(&format!("{:24}{}", statement.0, cells.join("")));
        let (first, last) = (of_sizes.first().map_or(0, |cost| cost.0), of_sizes.last().map_or(0, |cost| cost.0));
        if last > FLAT * first.max(4) {
            grown.push(statement.0);
        }
    }
    ensure!(grown.is_empty(), "these read more in larger tables: {}", grown.join(", "));
    Ok(())
}
