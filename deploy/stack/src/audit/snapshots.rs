//! The databases of the product, each in a snapshot of its own that is only read.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

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

/// One snapshot of every database.
pub(super) struct Snapshots {
    pub(super) wallet: PgConnection,
    /// The same snapshot of the largest database once more, so that two of its checks run at once.
    pub(super) wallet_again: PgConnection,
    pub(super) trade: PgConnection,
    pub(super) auth: PgConnection,
    pub(super) payment_method: PgConnection,
    pub(super) mailer: PgConnection,
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
    /// Consumers first, so that no effect of an event is seen without the event.
    pub(super) async fn take(urls: &Urls) -> Result<Self> {
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

    pub(super) fn of(&mut self, database: Database) -> &mut PgConnection {
        match database {
            Database::Wallet => &mut self.wallet,
            Database::Trade => &mut self.trade,
            Database::Auth => &mut self.auth,
            Database::PaymentMethod => &mut self.payment_method,
            Database::Mailer => &mut self.mailer,
        }
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
    // Every check reads whole tables once, so joins and sorts should fit into memory.
    sqlx::raw_sql("SET work_mem = '128MB'; SET jit = off").execute(&mut connection).await?;
    Ok(connection)
}
