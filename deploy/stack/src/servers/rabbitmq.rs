//! A private RabbitMQ node with its own name server, cookie, ports and data, reachable only on the loopback address.
//! Its virtual hosts and users are defined before it starts.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::{
    net::TcpStream,
    time::{Instant, sleep},
};

use crate::host::{
    certificates::Certificate,
    launch::{Launch, Output},
    place, ports,
    process::{Process, tail},
};

pub const USER: &str = "rabbitmq";
const NODE: &str = "solvane@localhost";
/// Only a hanging node takes this long, even on a busy machine; a failure is noticed at once.
const START_LIMIT: Duration = Duration::from_secs(240);
/// The scripts themselves: Debian's wrappers in PATH insist on root and a fixed log folder.
pub const SCRIPT: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/// Virtual hosts, users and permissions.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The virtual hosts.
    pub vhosts: Vec<String>,
    /// The users; each has all rights on every virtual host named here.
    pub users: Vec<BrokerUser>,
}

/// A user of the broker.
#[derive(Clone, Debug)]
pub struct BrokerUser {
    pub name: String,
    pub password: String,
    /// Whether it may use the management interface.
    pub administrator: bool,
}

/// A running RabbitMQ node of our own.
#[derive(Debug)]
pub struct RabbitMq {
    // Dropped in this order: the node before its name server.
    node: Process,
    names: Process,
    settings: Settings,
}

/// How the node is to be run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its data, cookie and configuration.
    pub folder: PathBuf,
    pub log: PathBuf,
    /// The port for AMQP; the same over restarts, so that clients find it again.
    pub port: u16,
    /// The port of the management interface, which is off without one.
    pub management_port: Option<u16>,
    /// Loaded at every start.
    pub definitions: Definitions,
    /// Its certificate, if its clients use TLS.
    pub certificate: Option<Certificate>,
}

impl Settings {
    /// The AMQP address for a user on a virtual host.
    #[must_use]
    pub fn url(&self, user: &BrokerUser, vhost: &str) -> String {
        let scheme = if self.certificate.is_some() { "amqps" } else { "amqp" };
        format!("{scheme}://{}:{}@127.0.0.1:{}/{}", user.name, user.password, self.port, vhost.replace('/', "%2f"))
    }
}

impl Settings {
    /// The same, on a free port.
    ///
    /// # Errors
    /// When none is.
    pub fn on_a_free_port(self) -> Result<Self> {
        Ok(Self { port: ports::free()?, ..self })
    }
}

impl RabbitMq {
    /// Starts the node and waits until it accepts connections.
    ///
    /// # Errors
    /// When RabbitMQ is not installed, or does not start.
    pub async fn start(settings: &Settings) -> Result<Self> {
        if !Path::new(SCRIPT).exists() {
            bail!("RabbitMQ is not installed: run `make setup`");
        }
        let user = place::user_for(USER);
        let folder = place::prepare(&settings.folder, user)?;
        configure(&folder, settings)?;
        let (names_port, dist_port) = (ports::free()?, ports::free()?);
        let names = start_names(&settings.log, names_port)?;
        let node = launch_node(&folder, &settings.log, names_port, dist_port).start_alone(&folder.join("pid")).await?;
        let broker = Self { node, names, settings: settings.clone() };
        broker.wait_until_it_listens(&settings.log).await?;
        Ok(broker)
    }

    /// The AMQP address for a user on a virtual host.
    #[must_use]
    pub fn url(&self, user: &BrokerUser, vhost: &str) -> String {
        self.settings.url(user, vhost)
    }

    /// The address of the management interface for an administrator, if it is on.
    #[must_use]
    pub fn management_url(&self, user: &BrokerUser) -> Option<String> {
        let port = self.settings.management_port?;
        Some(format!("http://{}:{}@127.0.0.1:{port}", user.name, user.password))
    }

    /// The node's process.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.node
    }

    /// Ends the node in order, then its name server.
    ///
    /// # Errors
    /// When one of them had to be killed.
    pub async fn terminate(&self) -> Result<()> {
        self.node.terminate().await?;
        self.names.terminate().await
    }

    async fn wait_until_it_listens(&self, log: &Path) -> Result<()> {
        let limit = Instant::now() + START_LIMIT;
        for port in [Some(self.settings.port), self.settings.management_port].into_iter().flatten() {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            while TcpStream::connect(address).await.is_err() {
                if !self.node.is_running() || Instant::now() > limit {
                    bail!("RabbitMQ does not start:\n{}", tail(log));
                }
                sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }
}

/// The Erlang name server: a node looks its own name up here.
fn start_names(log: &Path, port: u16) -> Result<Process> {
    let mut launch = Launch::new("epmd", "epmd", Output::File(log.to_owned()))
        .args(["-port".to_owned(), port.to_string()])
        .args(["-address", "127.0.0.1"]);
    launch.user = place::user_for(USER);
    launch.folder = Some(PathBuf::from("/"));
    launch.start()
}

fn launch_node(folder: &Path, log: &Path, names_port: u16, dist_port: u16) -> Launch {
    let path = |name: &str| folder.join(name).display().to_string();
    let mut launch = Launch::new("rabbitmq", SCRIPT, Output::File(log.to_owned()))
        .env("HOME", folder.display().to_string())
        .env("RABBITMQ_NODENAME", NODE)
        .env("RABBITMQ_CONFIG_FILE", path("rabbitmq.conf"))
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", path("enabled_plugins"))
        .env("RABBITMQ_MNESIA_BASE", path("mnesia"))
        .env("RABBITMQ_LOG_BASE", path("log"))
        // The system's own settings are not ours.
        .env("RABBITMQ_CONF_ENV_FILE", "/dev/null")
        .env("RABBITMQ_DIST_PORT", dist_port.to_string())
        .env("ERL_EPMD_PORT", names_port.to_string())
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        // No busy waiting: the cores are shared with everything else.
        .env(
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
            "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none",
        )
        // Makes the script exec the Erlang machine, so that signals reach it.
        .env("RUNNING_UNDER_SYSTEMD", "true");
    launch.user = place::user_for(USER);
    launch.folder = Some(folder.to_owned());
    launch
}

fn configure(folder: &Path, settings: &Settings) -> Result<()> {
    let mut lines = vec![
        format!("load_definitions = {}", folder.join("definitions.json").display()),
        "log.console = true".to_owned(),
        "log.console.level = warning".to_owned(),
        "log.file = false".to_owned(),
        "vm_memory_high_watermark.absolute = 1GB".to_owned(),
        "disk_free_limit.absolute = 100MB".to_owned(),
        "consumer_timeout = 1800000".to_owned(),
    ];
    match &settings.certificate {
        None => lines.push(format!("listeners.tcp.1 = 127.0.0.1:{}", settings.port)),
        Some(certificate) => {
            let own = certificate.copied_to(folder)?;
            lines.extend([
                "listeners.tcp = none".to_owned(),
                format!("listeners.ssl.1 = 127.0.0.1:{}", settings.port),
                format!("ssl_options.cacertfile = {}", own.authority.display()),
                format!("ssl_options.certfile = {}", own.certificate.display()),
                format!("ssl_options.keyfile = {}", own.key.display()),
            ]);
        }
    }
    let mut plugins = "[].";
    if let Some(port) = settings.management_port {
        plugins = "[rabbitmq_management].";
        lines.push("management.tcp.ip = 127.0.0.1".to_owned());
        lines.push(format!("management.tcp.port = {port}"));
    }
    let definitions = serde_json::to_string_pretty(&import(&settings.definitions))?;
    for (name, text) in [
        ("rabbitmq.conf", lines.join("\n") + "\n"),
        ("enabled_plugins", format!("{plugins}\n")),
        ("definitions.json", definitions),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        // The folder itself is closed to others; the server's user must read what root wrote.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Permission<'a> {
    user: &'a str,
    vhost: &'a str,
    configure: &'static str,
    write: &'static str,
    read: &'static str,
}

/// Definitions in the form that a node loads.
pub fn import(definitions: &Definitions) -> serde_json::Value {
    let users: Vec<_> = definitions.users.iter().map(user_definition).collect();
    let vhosts: Vec<_> = definitions.vhosts.iter().map(|name| json!({ "name": name })).collect();
    let permissions: Vec<_> = definitions
        .vhosts
        .iter()
        .flat_map(|vhost| definitions.users.iter().map(move |user| (vhost, user)))
        .map(|(vhost, user)| Permission { user: &user.name, vhost, configure: ".*", write: ".*", read: ".*" })
        .collect();
    json!({ "users": users, "vhosts": vhosts, "permissions": permissions })
}

fn user_definition(user: &BrokerUser) -> serde_json::Value {
    json!({
        "name": user.name,
        "password_hash": password_hash(&user.password),
        "hashing_algorithm": "rabbit_password_hashing_sha256",
        "tags": if user.administrator { "administrator" } else { "" },
    })
}

/// The hash format of RabbitMQ: four bytes of salt, then SHA-256 over salt and password.
fn password_hash(password: &str) -> String {
    let mut salted = uuid::Uuid::new_v4().as_bytes()[..4].to_vec();
    let mut digest = Sha256::new_with_prefix(&salted);
    digest.update(password);
    salted.extend_from_slice(&digest.finalize());
    STANDARD.encode(salted)
}
