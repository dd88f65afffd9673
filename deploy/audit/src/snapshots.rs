//! The databases of the product, each in a snapshot of its own that is only read.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use stack::Service;

/// The URL of every service's database, for a role that may read it.
#[derive(Clone, Debug)]
pub struct Urls(BTreeMap<Service, String>);

/// One snapshot of every database.
pub(super) struct Snapshots {
    connections: HashMap<Service, PgConnection>,
    /// The same snapshot of the largest database once more, so that two of its checks run at once.
    wallet_again: PgConnection,
    urls: Urls,
}

// === impl Urls ===

impl Urls {
    /// Asks for the URL of each service's database.
    ///
    /// # Errors
    /// The first that `url` returns.
    pub fn by(url: impl Fn(Service) -> Result<String>) -> Result<Self> {
        Service::services().map(|service| Ok((service, url(service)?))).collect::<Result<_>>().map(Self)
    }

    /// Takes the URLs from a map by the name of the service.
    ///
    /// # Errors
    /// If one is missing.
    pub fn of(databases: &BTreeMap<String, String>) -> Result<Self> {
        Self::by(|service| {
            databases.get(service.name()).cloned().with_context(|| format!("no database of {}", service.name()))
        })
    }

    /// # Errors
    /// If it is not a service with a database.
    pub fn get(&self, service: Service) -> Result<&str> {
        self.0.get(&service).map(String::as_str).with_context(|| missing(service))
    }
}

// === impl Snapshots ===

impl Snapshots {
    pub(super) async fn take(urls: &Urls) -> Result<Self> {
        // Consumers first, so that no effect of an event is seen without the event.
        let consumers = [Service::Mailer, Service::Wallet];
        let others = Service::services().filter(|service| !consumers.contains(service));
        let mut connections = HashMap::new();
        for service in consumers.into_iter().chain(others) {
            connections.insert(service, snapshot(urls.get(service)?).await.context(service.name())?);
        }
        let wallet = connections.get_mut(&Service::Wallet).with_context(|| missing(Service::Wallet))?;
        let wallet_again = same_snapshot(urls.get(Service::Wallet)?, wallet).await.context("wallet")?;
        Ok(Self { connections, wallet_again, urls: urls.clone() })
    }

    /// A database as it is by now.
    pub(super) async fn now(&self, service: Service) -> Result<PgConnection> {
        connect(self.urls.get(service)?).await
    }

    pub(super) fn of(&mut self, service: Service) -> Result<&mut PgConnection> {
        self.connections.get_mut(&service).with_context(|| missing(service))
    }

    /// Two of them, to be asked at once.
    pub(super) fn pair(&mut self, one: Service, other: Service) -> Result<(&mut PgConnection, &mut PgConnection)> {
        let [first, second] = self.connections.get_disjoint_mut([&one, &other]);
        Ok((first.with_context(|| missing(one))?, second.with_context(|| missing(other))?))
    }

    /// Every connection with its service; the wallet has two.
    pub(super) fn all(&mut self) -> impl Iterator<Item = (Service, &mut PgConnection)> {
        let each = self.connections.iter_mut().map(|(service, connection)| (*service, connection));
        each.chain([(Service::Wallet, &mut self.wallet_again)])
    }
}

fn missing(service: Service) -> String {
    format!("{} has no database", service.name())
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

/// Finds tables in these schemas from now on.
pub(super) async fn search(connection: &mut PgConnection, path: &str) -> Result<()> {
    sqlx::query("SELECT set_config('search_path', $1, false)").bind(path).execute(connection).await?;
    Ok(())
}

/// A connection that finds the tables of all buckets of members as one, where there are several: to read, for the owner or the
/// auditor.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect(url: &str) -> Result<PgConnection> {
    let mut connection = PgConnection::connect(url).await.context("cannot connect")?;
    // Every check reads whole tables once, so joins and sorts should fit into memory.
    sqlx::raw_sql("SET work_mem = '128MB'; SET jit = off").execute(&mut connection).await?;
    let is_divided: bool =
        sqlx::query_scalar("SELECT to_regnamespace('wallet_all') IS NOT NULL").fetch_one(&mut connection).await?;
    if is_divided {
        search(&mut connection, "wallet_all, public").await?;
    }
    Ok(connection)
}
