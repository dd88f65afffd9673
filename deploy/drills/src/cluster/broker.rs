//! RabbitMQ on every machine, as one cluster with quorum queues.
//!
//! Partitions are healed by `autoheal`: with `pause_minority` a node that was frozen stayed apart from the others.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{
    database::give,
    machines::{self, Machine, NUMBERS, Server},
};
use stack::{
    host::{launch::Launch, place},
    servers::rabbitmq::{self, BrokerUser, Definitions, SCRIPT, USER},
};

/// Where each node listens for AMQP.
pub const PORT: u16 = 5672;
/// Where each node listens for its management interface.
pub const MANAGEMENT_PORT: u16 = 15_672;

/// The launch of the name server.
///
/// # Errors
/// When its folder cannot be made.
pub fn names(machine: &Machine, logs: &Path) -> Result<Launch> {
    let folder = folder(machine)?;
    Ok(machine.launch(Server::Epmd, "epmd", USER, &folder, logs))
}

/// The launch of the node, which joins the others.
///
/// # Errors
/// When its folder or settings cannot be made.
pub fn broker(machine: &Machine, logs: &Path, cookie: &str, administrator: &BrokerUser) -> Result<Launch> {
    ensure!(Path::new(SCRIPT).exists(), "RabbitMQ is not installed: run `make setup`");
    let folder = folder(machine)?;
    configure(machine, &folder, cookie, administrator)?;
    let path = |name: &str| folder.join(name).display().to_string();
    let launch = machine
        .launch(Server::RabbitMq, SCRIPT, USER, &folder, logs)
        .env("HOME", folder.display().to_string())
        .env("RABBITMQ_NODENAME", node(machine.number))
        .env("RABBITMQ_USE_LONGNAME", "true")
        .env("RABBITMQ_CONFIG_FILE", path("rabbitmq.conf"))
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", path("enabled_plugins"))
        .env("RABBITMQ_MNESIA_BASE", path("mnesia"))
        .env("RABBITMQ_LOG_BASE", path("log"))
        .env("RABBITMQ_CONF_ENV_FILE", "/dev/null")
        .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+sbwt none +sbwtdcpu none +sbwtdio none")
        .env("RUNNING_UNDER_SYSTEMD", "true");
    Ok(launch)
}

fn folder(machine: &Machine) -> Result<PathBuf> {
    place::prepare(&machine.folder().join("rabbitmq"), place::user_for(USER))
}

fn node(number: u8) -> String {
    format!("rabbit@{}", machines::address(number))
}

fn configure(machine: &Machine, folder: &Path, cookie: &str, administrator: &BrokerUser) -> Result<()> {
    let mut lines = vec![
        format!("load_definitions = {}", folder.join("definitions.json").display()),
        "log.console = true".to_owned(),
        "log.console.level = warning".to_owned(),
        "log.file = false".to_owned(),
        "vm_memory_high_watermark.absolute = 500MB".to_owned(),
        "disk_free_limit.absolute = 50MB".to_owned(),
        "consumer_timeout = 1800000".to_owned(),
        "net_ticktime = 10".to_owned(),
        "cluster_partition_handling = autoheal".to_owned(),
        "cluster_formation.peer_discovery_backend = classic_config".to_owned(),
        format!("listeners.tcp.1 = {}:{PORT}", machine.address()),
        format!("management.tcp.ip = {}", machine.address()),
        format!("management.tcp.port = {MANAGEMENT_PORT}"),
    ];
    lines.extend(NUMBERS.map(|number| format!("cluster_formation.classic_config.nodes.{number} = {}", node(number))));
    let definitions = Definitions { vhosts: vec!["/".to_owned()], users: vec![administrator.clone()] };
    for (name, text) in [
        ("rabbitmq.conf", lines.join("\n") + "\n"),
        ("enabled_plugins", "[rabbitmq_management].\n".to_owned()),
        ("definitions.json", serde_json::to_string_pretty(&rabbitmq::import(&definitions))?),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
    }
    let path = folder.join(".erlang.cookie");
    fs::write(&path, cookie)?;
    give(USER, &path)
}

/// Whether all nodes see each other and every queue has all its replicas.
///
/// # Errors
/// With what is missing.
pub async fn healthy(http: &reqwest::Client, administrator: &BrokerUser) -> Result<()> {
    for number in NUMBERS {
        let nodes = get(http, number, administrator, "nodes").await?;
        let nodes = nodes.as_array().context("a list of nodes")?;
        let is_well = |node: &Value| {
            let is = |name: &str| node[name] == true;
            let apart = node["partitions"].as_array().is_some_and(|partitions| !partitions.is_empty());
            is("running") && !apart && !is("mem_alarm") && !is("disk_free_alarm")
        };
        let well = nodes.iter().filter(|node| is_well(node)).count();
        ensure!(well == NUMBERS.len(), "n{number} sees {well} well nodes of RabbitMQ");
        let queues = get(http, number, administrator, "queues").await?;
        for queue in queues.as_array().context("a list of queues")?.iter().filter(|queue| queue["type"] == "quorum") {
            let online = queue["online"].as_array().map_or(0, Vec::len);
            ensure!(online == NUMBERS.len(), "{} has {online} replicas, as n{number} sees it", queue["name"]);
        }
    }
    Ok(())
}

/// Whether a machine's management answers.
pub async fn answers(http: &reqwest::Client, machine: u8, administrator: &BrokerUser) -> bool {
    get(http, machine, administrator, "nodes").await.is_ok()
}

async fn get(http: &reqwest::Client, machine: u8, administrator: &BrokerUser, path: &str) -> Result<Value> {
    let request = http
        .get(format!("http://{}:{MANAGEMENT_PORT}/api/{path}", machines::address(machine)))
        .basic_auth(&administrator.name, Some(&administrator.password))
        .timeout(Duration::from_secs(5));
    Ok(request.send().await?.error_for_status()?.json().await?)
}
