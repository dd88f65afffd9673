//! The PostgreSQL and RabbitMQ of a stack: private, or on existing servers.

pub mod broker;
pub mod control;
pub mod databases;
pub mod postgres;
pub mod rabbitmq;
pub mod testbed;

use std::{fs::create_dir_all, path::Path, sync::Arc};

use anyhow::{Context, Result, bail};

use self::{
    broker::Tenancy,
    databases::Databases,
    postgres::{Durability, Postgres},
    rabbitmq::RabbitMq,
};
use crate::{
    host::{certificates::Certificates, clock::Clock, ports, process::Process, secrets::Secrets},
    service::Service,
};

/// Where the databases are.
#[derive(Clone, Debug)]
pub enum DatabaseServer {
    /// A server of our own.
    Own(Durability),
    /// The server at this address, as an administrator.
    At(String),
    /// The same, with databases that exist only as long as the stack, next to those of other stacks.
    Borrowed(String),
}

/// Where the broker is.
#[derive(Clone, Debug)]
pub enum BrokerServer {
    /// A node of our own.
    Own,
    /// The broker at this address; every service uses the address as it is.
    At(String),
    /// A virtual host on a broker with a management interface, which exists only as long as the stack.
    Borrowed {
        /// Its AMQP address.
        amqp_url: String,
        /// Its management interface, as an administrator.
        management_url: String,
    },
}

/// The running servers, and the stack's place in them.
#[derive(Debug)]
pub struct Servers {
    postgres: Option<Postgres>,
    databases: Databases,
    borrowed_databases: bool,
    broker: Broker,
    ended: bool,
}

#[derive(Debug)]
enum Broker {
    Own { node: Option<Box<RabbitMq>>, settings: rabbitmq::Settings },
    At(String),
    Borrowed { tenancy: Tenancy, amqp_url: String },
}

/// Only the databases, which are ready long before the broker.
pub(crate) struct DatabasePart {
    postgres: Option<Postgres>,
    pub(crate) databases: Databases,
    borrowed: bool,
}

/// The broker alone.
pub(crate) struct BrokerPart(Broker);

pub(crate) async fn start_databases(
    server: &DatabaseServer,
    folder: &Path,
    id: &str,
    clock: Option<Arc<Clock>>,
    certificates: Option<&Certificates>,
) -> Result<DatabasePart> {
    let (postgres, url, suffix, secrets) = match server {
        DatabaseServer::Own(durability) => {
            let secrets = Secrets::open(&folder.join("secrets.json"))?;
            create_dir_all(folder.join("logs"))?;
            let postgres = Postgres::start(&postgres::Settings {
                folder: folder.join("pg"),
                log: folder.join("logs/postgres.log"),
                password: secrets.password("postgres"),
                durability: *durability,
                clock,
                certificate: certificates.map(|all| all.of("postgres")),
            })
            .await?;
            let url = postgres.url();
            (Some(postgres), url, String::new(), secrets)
        }
        DatabaseServer::At(url) => (None, url.clone(), String::new(), Secrets::open(&folder.join("secrets.json"))?),
        DatabaseServer::Borrowed(url) => (None, url.clone(), format!("_{id}"), Secrets::of_server(url)),
    };
    let databases = Databases::provision(&url, &suffix, &secrets).await?;
    Ok(DatabasePart { postgres, databases, borrowed: matches!(server, DatabaseServer::Borrowed(_)) })
}

pub(crate) async fn start_broker(
    server: &BrokerServer,
    folder: &Path,
    id: &str,
    certificates: Option<&Certificates>,
) -> Result<BrokerPart> {
    Ok(BrokerPart(match server {
        BrokerServer::Own => {
            create_dir_all(folder.join("logs"))?;
            let secrets = Secrets::open(&folder.join("secrets.json"))?;
            let settings = rabbitmq::Settings {
                folder: folder.join("rabbitmq"),
                log: folder.join("logs/rabbitmq.log"),
                port: ports::free()?,
                management_port: None,
                definitions: broker::definitions(&secrets),
                certificate: certificates.map(|all| all.of("rabbitmq")),
            };
            Broker::Own { node: Some(Box::new(RabbitMq::start(&settings).await?)), settings }
        }
        BrokerServer::At(url) => Broker::At(url.clone()),
        BrokerServer::Borrowed { amqp_url, management_url } => {
            let users = broker::users(&format!("-{id}"), &Secrets::of_server(management_url));
            let tenancy = Tenancy::make(management_url, &format!("stack-{id}"), users).await?;
            Broker::Borrowed { tenancy, amqp_url: amqp_url.clone() }
        }
    }))
}

impl Servers {
    pub(crate) fn new(databases: DatabasePart, broker: BrokerPart) -> Self {
        let DatabasePart { postgres, databases, borrowed } = databases;
        Self { postgres, databases, borrowed_databases: borrowed, broker: broker.0, ended: false }
    }

    /// The addresses of the databases.
    #[must_use]
    pub fn databases(&self) -> &Databases {
        &self.databases
    }

    /// The broker's address for a service.
    ///
    /// # Errors
    /// When the configured address is malformed.
    pub fn amqp_url(&self, service: Service) -> Result<String> {
        match &self.broker {
            Broker::Own { settings, .. } => {
                let user = broker::user_of(&settings.definitions.users, service)?;
                Ok(settings.url(user, broker::VHOST))
            }
            Broker::At(url) => Ok(url.clone()),
            Broker::Borrowed { tenancy, amqp_url } => tenancy.url(amqp_url, service),
        }
    }

    /// The processes that are ours.
    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        let node = match &self.broker {
            Broker::Own { node, .. } => node.as_deref().map(RabbitMq::process),
            Broker::At(_) | Broker::Borrowed { .. } => None,
        };
        self.postgres.as_ref().map(Postgres::process).into_iter().chain(node)
    }

    /// Stops the private broker as if its machine had failed.
    ///
    /// # Errors
    /// When the broker is not ours alone.
    pub async fn stop_broker(&mut self) -> Result<()> {
        let Broker::Own { node, .. } = &mut self.broker else { bail!("this broker serves others too") };
        let node = node.take().context("the broker is stopped already")?;
        node.process().kill().await
    }

    /// Starts our broker again, on the same port and with the same data.
    ///
    /// # Errors
    /// When the broker is not ours alone, or does not start.
    pub async fn start_broker(&mut self) -> Result<()> {
        let Broker::Own { node, settings } = &mut self.broker else { bail!("this broker serves others too") };
        if node.is_none() {
            *node = Some(Box::new(RabbitMq::start(settings).await?));
        }
        Ok(())
    }

    /// Ends what is ours, and removes what was borrowed.
    ///
    /// # Errors
    /// When a server had to be killed, or cannot be reached any more.
    pub async fn end(&mut self) -> Result<()> {
        self.ended = true;
        let (node, tenancy) = match &mut self.broker {
            Broker::Own { node, .. } => (node.take(), None),
            Broker::At(_) => (None, None),
            Broker::Borrowed { tenancy, .. } => (None, Some(&*tenancy)),
        };
        let postgres = self.postgres.take();
        let end_postgres = async {
            if let Some(postgres) = &postgres {
                postgres.process().terminate().await?;
            } else if self.borrowed_databases {
                self.databases.remove().await?;
            }
            anyhow::Ok(())
        };
        let end_broker = async {
            if let Some(node) = &node {
                node.terminate().await?;
            }
            if let Some(tenancy) = tenancy {
                tenancy.remove().await?;
            }
            anyhow::Ok(())
        };
        let (one, other) = tokio::join!(end_postgres, end_broker);
        one.and(other)
    }
}

impl Drop for Servers {
    /// Private servers die with this process; databases and virtual hosts on shared servers have to be removed.
    fn drop(&mut self) {
        let borrowed = self.borrowed_databases || matches!(self.broker, Broker::Borrowed { .. });
        if self.ended || !borrowed {
            return;
        }
        // A separate thread, because a runtime may be waiting for this one.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(self.end())
            });
        });
    }
}
