//! One database per service, with an owner for the migrations and a role for the service that cannot change the schema.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, postgres::PgConnectOptions};

use crate::{host::secrets::Secrets, service::Service};

/// Prevents two stacks from creating the same roles of one server at the same time.
const LOCK: i64 = 0x736f_6c76_616e_6500;

/// The role of the audit, which reads every database and changes nothing.
const AUDITOR: &str = "auditor";

/// The role of the media worker in the database of course, to which migrations give the rows of files alone.
const WORKER: &str = "course_worker";

/// A connection to each schema with a service's tables: that of the address, and those of further buckets of members.
///
/// # Errors
/// When the server cannot be reached.
pub async fn connect_each(url: &str) -> Result<Vec<PgConnection>> {
    let mut connections = vec![PgConnection::connect(url).await?];
    for schema in further_buckets(&mut connections[0]).await? {
        let mut connection = PgConnection::connect(url).await?;
        sqlx::query("SELECT set_config('search_path', $1 || ', public', false)")
            .bind(schema)
            .execute(&mut connection)
            .await?;
        connections.push(connection);
    }
    Ok(connections)
}

/// The schemas of further buckets of members, by number.
///
/// # Errors
/// When the server cannot be reached.
pub async fn further_buckets(connection: &mut PgConnection) -> Result<Vec<String>> {
    let schemas = "SELECT nspname::text FROM pg_namespace WHERE nspname ~ '^wallet_[0-9]{2}$'
        AND to_regnamespace('wallet_all') IS NOT NULL ORDER BY nspname";
    Ok(sqlx::query_scalar(schemas).fetch_all(connection).await?)
}

/// The databases of one stack.
#[derive(Clone, Debug)]
pub struct Databases {
    server: String,
    suffix: String,
    passwords: BTreeMap<String, String>,
}

impl Databases {
    /// Creates missing roles and databases. `server` is the address of an administrator; `suffix` distinguishes the
    /// databases of several stacks on one server, which share their roles.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub async fn provision(server: &str, suffix: &str, secrets: &Secrets) -> Result<Self> {
        let services = Service::ALL.iter().filter_map(|service| service.database());
        let passwords = services
            .flat_map(|name| [name.to_owned(), owner(name)])
            .chain([AUDITOR.to_owned(), WORKER.to_owned()])
            .map(|role| (role.clone(), secrets.password(&role)))
            .collect();
        let databases = Self { server: server.to_owned(), suffix: suffix.to_owned(), passwords };
        let mut admin = PgConnection::connect(server).await.context("cannot connect to PostgreSQL")?;
        sqlx::query("SELECT pg_advisory_lock($1)").bind(LOCK).execute(&mut admin).await?;
        for (role, password) in &databases.passwords {
            make_role(&mut admin, role, password).await?;
        }
        run(&mut admin, format!("ALTER ROLE {AUDITOR} SET default_transaction_read_only = on")).await?;
        for name in Service::ALL.iter().filter_map(|service| service.database()) {
            databases.make_database(&mut admin, name).await?;
        }
        admin.close().await?;
        Ok(databases)
    }

    /// The address for the service itself.
    ///
    /// # Errors
    /// For the gateway, which has none.
    pub fn url(&self, service: Service) -> Result<String> {
        let name = service.database().context("the gateway has no database")?;
        self.address(name, if service == Service::CourseWorker { WORKER } else { name })
    }

    /// The address for its migrations: the owner of the schema.
    ///
    /// # Errors
    /// For the gateway, which has none.
    pub fn owner_url(&self, service: Service) -> Result<String> {
        let name = service.database().context("the gateway has no database")?;
        self.address(name, &owner(name))
    }

    /// A connection for the owner to each schema with tables of this service.
    ///
    /// # Errors
    /// For the gateway, which has none, and when the server cannot be reached.
    pub async fn connect_owner(&self, service: Service) -> Result<Vec<PgConnection>> {
        connect_each(&self.owner_url(service)?).await
    }

    /// The address for the audit.
    ///
    /// # Errors
    /// For the gateway, which has none.
    pub fn auditor_url(&self, service: Service) -> Result<String> {
        let name = service.database().context("the gateway has no database")?;
        self.address(name, AUDITOR)
    }

    /// Ends all sessions of a service, as a database that fails over does.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn end_sessions(&self, service: Service) -> Result<()> {
        let name = service.database().context("the gateway has no database")?;
        let mut admin = PgConnection::connect(&self.server).await?;
        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1 AND usename = $2";
        sqlx::query(sql).bind(format!("{name}{}", self.suffix)).bind(name).execute(&mut admin).await?;
        Ok(admin.close().await?)
    }

    /// Removes the databases. The roles stay, because other stacks use them.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub async fn remove(&self) -> Result<()> {
        let mut admin = PgConnection::connect(&self.server).await?;
        for name in Service::ALL.iter().filter_map(|service| service.database()) {
            run(&mut admin, format!("DROP DATABASE IF EXISTS {}{} WITH (FORCE)", name, self.suffix)).await?;
        }
        Ok(admin.close().await?)
    }

    fn address(&self, name: &str, role: &str) -> Result<String> {
        let options: PgConnectOptions = self.server.parse()?;
        let password = self.passwords.get(role).context("a role of this stack")?;
        let (host, port) = (options.get_host(), options.get_port());
        let parameters = self.server.find('?').map_or("", |at| &self.server[at..]);
        Ok(format!("postgres://{role}:{password}@{host}:{port}/{name}{}{parameters}", self.suffix))
    }

    async fn make_database(&self, admin: &mut PgConnection, name: &str) -> Result<()> {
        let database = format!("{name}{}", self.suffix);
        let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
            .bind(&database)
            .fetch_one(&mut *admin)
            .await?;
        if !exists {
            run(admin, format!("CREATE DATABASE {database} OWNER {}", owner(name))).await?;
        }
        run(admin, format!("REVOKE ALL ON DATABASE {database} FROM PUBLIC")).await?;
        run(admin, format!("GRANT CONNECT ON DATABASE {database} TO {name}, {AUDITOR}")).await?;
        let mut schema = PgConnection::connect(&self.address(name, &owner(name))?).await?;
        for statement in default_rights(name) {
            run(&mut schema, statement).await?;
        }
        if name == Service::Course.name() {
            run(&mut schema, format!("GRANT CONNECT ON DATABASE {database} TO {WORKER}")).await?;
            run(&mut schema, format!("GRANT USAGE ON SCHEMA public TO {WORKER}")).await?;
        }
        Ok(schema.close().await?)
    }
}

/// The default privileges of the service's role on everything that its migrations create, and of the auditor's. Migrations
/// revoke privileges that a table should not grant, such as changing entries of the ledger.
fn default_rights(name: &str) -> [String; 7] {
    [
        format!("GRANT USAGE ON SCHEMA public TO {AUDITOR}"),
        format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {AUDITOR}"),
        format!("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {AUDITOR}"),
        format!("GRANT USAGE ON SCHEMA public TO {name}"),
        format!("ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {name}"),
        format!("ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO {name}"),
        format!("ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO {name}"),
    ]
}

async fn make_role(admin: &mut PgConnection, role: &str, password: &str) -> Result<()> {
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)")
        .bind(role)
        .fetch_one(&mut *admin)
        .await?;
    let verb = if exists { "ALTER" } else { "CREATE" };
    run(admin, format!("{verb} ROLE {role} LOGIN PASSWORD '{password}'")).await?;
    // An administrator without superuser rights can only transfer a database to a role that it is a member of.
    run(admin, format!("GRANT {role} TO CURRENT_USER")).await
}

/// Runs a statement that contains only the names above and hexadecimal passwords.
async fn run(connection: &mut PgConnection, statement: String) -> Result<()> {
    connection.execute(AssertSqlSafe(statement)).await?;
    Ok(())
}

fn owner(name: &str) -> String {
    format!("{name}_owner")
}
