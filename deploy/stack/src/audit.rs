//! Checks from the databases alone whether the product kept its promises: the books, the trades, the requests, the
//! events, the mails, the sessions. Reads, in one snapshot a database, and changes nothing.

pub mod checks;

mod across;

mod decisions;

mod roots;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use chassis::keys::TrustedKeys;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::audit::checks::{CHECKS, Check, EVERYWHERE};

/// Rows shown of one broken promise.
const SHOWN: usize = 20;

/// The databases of the product.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Database {
    /// Of the service wallet.
    Wallet,
    /// Of the service trade.
    Trade,
    /// Of the service auth.
    Auth,
    /// Of the service payment-method.
    PaymentMethod,
    /// Of the service mailer.
    Mailer,
}

/// Where the databases are.
#[derive(Clone, Debug)]
pub struct Urls {
    /// Of the service wallet.
    pub wallet: String,
    /// Of the service trade.
    pub trade: String,
    /// Of the service auth.
    pub auth: String,
    /// Of the service payment-method.
    pub payment_method: String,
    /// Of the service mailer.
    pub mailer: String,
}

/// What is known outside the databases.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The file of the trusted public keys: whose signatures count.
    pub trusted_keys: &'a Path,
    /// The folder of the signed roots.
    pub roots: Option<&'a Path>,
}

/// A promise that was checked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// The invariants it belongs to, e.g. `L1`.
    pub ids: &'static str,
    /// The promise.
    pub promise: String,
    /// Rows that break it, described; none when it is kept.
    pub offending: Vec<String>,
}

/// One snapshot of every database.
struct Snapshots {
    wallet: PgConnection,
    /// The same snapshot of the largest database once more, so that two of its checks run at once.
    wallet_again: PgConnection,
    trade: PgConnection,
    auth: PgConnection,
    payment_method: PgConnection,
    mailer: PgConnection,
}

/// Checks everything, with signatures and roots as far as there is evidence for them; kept promises too are named.
///
/// # Errors
/// When a database cannot be read.
pub async fn audit(urls: &Urls, evidence: Option<&Evidence<'_>>) -> Result<Vec<Verdict>> {
    let keys = evidence.map(|evidence| TrustedKeys::read(evidence.trusted_keys)).transpose()?;
    let mut snapshots = Snapshots::take(urls).await?;
    let mut verdicts = snapshots.check_all().await?;
    for database in Database::ALL {
        for check in EVERYWHERE {
            let promise = format!("{}: {}", database.name(), check.promise);
            verdicts.push(check.verdict(promise, snapshots.of(database)).await?);
        }
        verdicts.push(across::trail_is_unbroken(database, snapshots.of(database)).await?);
    }
    verdicts.extend(across::verdicts(&mut snapshots).await?);
    verdicts.extend(decisions::verdicts(&mut snapshots, keys.as_ref()).await?);
    if let (Some(folder), Some(keys)) = (evidence.and_then(|evidence| evidence.roots), &keys) {
        verdicts.extend(roots::verdicts(&mut snapshots, folder, keys).await?);
    }
    Ok(verdicts)
}

/// Writes what was found, a line a promise, and whether all is well.
///
/// # Errors
/// When it cannot be written.
pub fn report(out: &mut impl Write, verdicts: &[Verdict]) -> io::Result<bool> {
    for verdict in verdicts {
        let mark = if verdict.offending.is_empty() { "ok    " } else { "BROKEN" };
        writeln!(out, "{mark} [{}] {}", verdict.ids, verdict.promise)?;
        for row in &verdict.offending {
            writeln!(out, "         {row}")?;
        }
    }
    let broken = verdicts.iter().filter(|verdict| !verdict.offending.is_empty()).count();
    if broken == 0 {
        writeln!(out, "audit clean: {} checks", verdicts.len())?;
    } else {
        writeln!(out, "audit failed: {broken} of {} checks", verdicts.len())?;
    }
    Ok(broken == 0)
}

// === impl Urls ===

impl Urls {
    /// From the addresses by service.
    ///
    /// # Errors
    /// When one is missing.
    pub fn of(databases: &BTreeMap<String, String>) -> Result<Self> {
        let of = |database: Database| {
            databases.get(database.name()).cloned().with_context(|| format!("no database of {}", database.name()))
        };
        Ok(Self {
            wallet: of(Database::Wallet)?,
            trade: of(Database::Trade)?,
            auth: of(Database::Auth)?,
            payment_method: of(Database::PaymentMethod)?,
            mailer: of(Database::Mailer)?,
        })
    }
}

// === impl Database ===

impl Database {
    /// Every one.
    pub const ALL: [Self; 5] = [Self::Wallet, Self::Trade, Self::Auth, Self::PaymentMethod, Self::Mailer];

    /// The name of its service.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wallet => "wallet",
            Self::Trade => "trade",
            Self::Auth => "auth",
            Self::PaymentMethod => "payment-method",
            Self::Mailer => "mailer",
        }
    }
}

// === impl Snapshots ===

impl Snapshots {
    /// The consumers first: what an event did cannot be seen before the event.
    async fn take(urls: &Urls) -> Result<Self> {
        let mailer = snapshot(&urls.mailer).await.context("mailer")?;
        let mut wallet = snapshot(&urls.wallet).await.context("wallet")?;
        let wallet_again = same_snapshot(&urls.wallet, &mut wallet).await.context("wallet")?;
        Ok(Self {
            mailer,
            wallet,
            wallet_again,
            trade: snapshot(&urls.trade).await.context("trade")?,
            auth: snapshot(&urls.auth).await.context("auth")?,
            payment_method: snapshot(&urls.payment_method).await.context("payment-method")?,
        })
    }

    /// Every check of one database alone, in the order of [`CHECKS`].
    async fn check_all(&mut self) -> Result<Vec<Verdict>> {
        let [wallet, trade, auth, payment_method, mailer] = Database::ALL.map(|database| {
            Mutex::new(CHECKS.iter().enumerate().filter(move |(_, check)| check.database == database).collect())
        });
        let verdicts = tokio::try_join!(
            check_in_turn(&wallet, &mut self.wallet),
            check_in_turn(&wallet, &mut self.wallet_again),
            check_in_turn(&trade, &mut self.trade),
            check_in_turn(&auth, &mut self.auth),
            check_in_turn(&payment_method, &mut self.payment_method),
            check_in_turn(&mailer, &mut self.mailer),
        )?;
        let mut all: Vec<_> = <[_; 6]>::from(verdicts).into_iter().flatten().collect();
        all.sort_by_key(|(place, _)| *place);
        Ok(all.into_iter().map(|(_, verdict)| verdict).collect())
    }

    fn of(&mut self, database: Database) -> &mut PgConnection {
        match database {
            Database::Wallet => &mut self.wallet,
            Database::Trade => &mut self.trade,
            Database::Auth => &mut self.auth,
            Database::PaymentMethod => &mut self.payment_method,
            Database::Mailer => &mut self.mailer,
        }
    }
}

/// The verdicts of the checks that this connection takes from a queue, each with its place in [`CHECKS`].
async fn check_in_turn(
    queue: &Mutex<VecDeque<(usize, &Check)>>,
    connection: &mut PgConnection,
) -> Result<Vec<(usize, Verdict)>> {
    let mut verdicts = Vec::new();
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((place, check)) = next else { return Ok(verdicts) };
        verdicts.push((place, check.verdict(check.promise.to_owned(), connection).await?));
    }
}

async fn snapshot(url: &str) -> Result<PgConnection> {
    let mut connection = connect(url).await?;
    begin(&mut connection).await?;
    // The snapshot is taken by the first query.
    sqlx::raw_sql("SELECT 1").execute(&mut connection).await?;
    Ok(connection)
}

/// A second connection that sees what the first one does.
async fn same_snapshot(url: &str, first: &mut PgConnection) -> Result<PgConnection> {
    let name: String = sqlx::query_scalar("SELECT pg_export_snapshot()").fetch_one(first).await?;
    let mut connection = connect(url).await?;
    begin(&mut connection).await?;
    sqlx::raw_sql(AssertSqlSafe(format!("SET TRANSACTION SNAPSHOT '{name}'"))).execute(&mut connection).await?;
    Ok(connection)
}

async fn begin(connection: &mut PgConnection) -> Result<()> {
    sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").execute(connection).await?;
    Ok(())
}

async fn connect(url: &str) -> Result<PgConnection> {
    let mut connection = PgConnection::connect(url).await.context("cannot connect")?;
    // Every check reads whole tables once: what it joins and sorts should fit into memory.
    sqlx::raw_sql("SET work_mem = '128MB'; SET jit = off").execute(&mut connection).await?;
    Ok(connection)
}

// === impl Check ===

impl Check {
    async fn verdict(&self, promise: String, connection: &mut PgConnection) -> Result<Verdict> {
        let offending: Vec<String> =
            sqlx::query_scalar(self.offending).fetch_all(connection).await.with_context(|| promise.clone())?;
        Ok(Verdict::new(self.ids, promise, offending))
    }
}

// === impl Verdict ===

impl Verdict {
    fn new(ids: &'static str, promise: impl Into<String>, mut offending: Vec<String>) -> Self {
        if offending.len() > SHOWN {
            let more = offending.len() - SHOWN;
            offending.truncate(SHOWN);
            offending.push(format!("and {more} more"));
        }
        Self { ids, promise: promise.into(), offending }
    }
}
