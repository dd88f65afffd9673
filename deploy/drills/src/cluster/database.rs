//! PostgreSQL on every machine, one of them writing: Patroni decides which, by a lease in etcd.
//!
//! etcd is Debian's 3.4, which has upstream's defect 15247: after a freeze its leader revokes leases that others have
//! renewed. Patroni's driver for the second API of etcd is not affected, because it deletes the key of the leader only by
//! its index; `etcd3` loses acknowledged commits.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::machines::{self, Machine, NUMBERS, Server};
use stack::{
    host::{launch::Launch, place},
    servers::postgres::{self, USER},
};

/// Where Patroni answers on every machine.
pub const PATRONI_PORT: u16 = 8008;
/// Where PostgreSQL listens on every machine.
pub const PORT: u16 = 5432;
const ETCD_PORT: u16 = 2379;
const ETCD_PEER_PORT: u16 = 2380;

/// The passwords of PostgreSQL's superuser and of its replicas.
#[derive(Clone, Debug)]
pub struct Passwords {
    pub superuser: String,
    pub replication: String,
}

/// The roles of the machines, as one machine reports them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Roles {
    /// The machine whose PostgreSQL writes.
    pub leader: u8,
    /// The machine that has every commit and may be promoted.
    pub synchronous: u8,
}

#[derive(Deserialize)]
struct View {
    members: Vec<Member>,
}

#[derive(Deserialize)]
struct Member {
    name: String,
    role: String,
    state: String,
}

/// The launch of etcd.
///
/// # Errors
/// When its folder cannot be made.
pub fn etcd(machine: &Machine, logs: &Path) -> Result<Launch> {
    let data = place::prepare(&machine.folder().join("etcd"), place::user_for(USER))?;
    Ok(machine.launch(Server::Etcd, "etcd", USER, &data, logs).args(etcd_arguments(machine, &data)))
}

/// The launch of Patroni, which starts PostgreSQL.
///
/// # Errors
/// When its folder or settings cannot be made.
pub fn patroni(machine: &Machine, logs: &Path, passwords: &Passwords) -> Result<Launch> {
    let data = place::prepare(&machine.folder().join("pg"), place::user_for(USER))?;
    let settings = data.join("patroni.json");
    fs::write(&settings, serde_json::to_vec_pretty(&patroni_settings(machine, &data, passwords)?)?)?;
    give(USER, &settings)?;
    Ok(machine.launch(Server::Patroni, "patroni", USER, &data, logs).args([settings.display().to_string()]))
}

/// Makes a file readable only to a user.
pub(super) fn give(user: &str, file: &Path) -> Result<()> {
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))?;
    stack::host::network::run("chown", &[user, &file.display().to_string()]).map(drop)
}

fn etcd_arguments(machine: &Machine, data: &Path) -> Vec<String> {
    let url = |address: &str, port: u16| format!("http://{address}:{port}");
    let own = machine.address();
    let all: Vec<_> = NUMBERS
        .iter()
        .map(|number| format!("n{number}={}", url(&machines::address(*number), ETCD_PEER_PORT)))
        .collect();
    [
        ("name", machine.name()),
        ("data-dir", data.join("data").display().to_string()),
        ("listen-peer-urls", url(&own, ETCD_PEER_PORT)),
        ("initial-advertise-peer-urls", url(&own, ETCD_PEER_PORT)),
        ("listen-client-urls", url(&own, ETCD_PORT)),
        ("advertise-client-urls", url(&own, ETCD_PORT)),
        ("initial-cluster", all.join(",")),
        ("initial-cluster-token", "solvane".to_owned()),
        ("enable-v2", "true".to_owned()),
        ("heartbeat-interval", "100".to_owned()),
        ("election-timeout", "1000".to_owned()),
        ("logger", "zap".to_owned()),
        ("log-level", "warn".to_owned()),
    ]
    .map(|(name, value)| format!("--{name}={value}"))
    .into()
}

fn patroni_settings(machine: &Machine, data: &Path, passwords: &Passwords) -> Result<Value> {
    let own = machine.address();
    let listens = |port: u16| json!(format!("{own}:{port}"));
    let hosts: Vec<_> = NUMBERS.iter().map(|number| format!("{}:{ETCD_PORT}", machines::address(*number))).collect();
    let from = machines::subnet();
    let programs = postgres::program("initdb")?;
    Ok(json!({
        "scope": "solvane",
        "name": machine.name(),
        "restapi": { "listen": listens(PATRONI_PORT), "connect_address": listens(PATRONI_PORT) },
        "etcd": { "hosts": hosts },
        "bootstrap": {
            "dcs": {
                "ttl": 6,
                "loop_wait": 1,
                "retry_timeout": 2,
                "maximum_lag_on_failover": 1_048_576,
                "primary_start_timeout": 0,
                // Without a replica that has every commit, nothing is acknowledged.
                "synchronous_mode": true,
                "synchronous_mode_strict": true,
                "postgresql": {
                    "use_pg_rewind": true,
                    "parameters": {
                        "max_connections": 250,
                        "shared_buffers": "64MB",
                        "max_wal_size": "256MB",
                        "wal_keep_size": "128MB",
                        "wal_retrieve_retry_interval": "200ms",
                        "wal_receiver_timeout": "3s",
                        "wal_sender_timeout": "3s",
                        "timezone": "UTC",
                        "log_parameter_max_length": 0,
                        "log_parameter_max_length_on_error": 0,
                    },
                },
            },
            "initdb": ["data-checksums", { "encoding": "UTF8" }, { "locale": "C.UTF-8" }],
        },
        "postgresql": {
            "listen": listens(PORT),
            "connect_address": listens(PORT),
            "data_dir": data.join("data"),
            "bin_dir": programs.parent(),
            "pgpass": data.join("pgpass"),
            "parameters": { "unix_socket_directories": data },
            "pg_hba": [
                format!("host all all {from} scram-sha-256"),
                format!("host replication replicator {from} scram-sha-256"),
            ],
            "authentication": {
                "superuser": { "username": USER, "password": passwords.superuser },
                "replication": { "username": "replicator", "password": passwords.replication },
            },
        },
    }))
}

/// The roles of the machines, if every PostgreSQL runs and one of them is a synchronous replica.
///
/// # Errors
/// When a machine does not answer or is not healthy.
pub async fn healthy(http: &reqwest::Client) -> Result<Roles> {
    let mut all = Vec::new();
    for number in NUMBERS {
        let etcd = get(http, number, ETCD_PORT, "/health").await?;
        ensure!(etcd["health"] == "true", "etcd of n{number} is not healthy");
        all.push(roles(http, number).await?);
    }
    let first = all.swap_remove(0);
    ensure!(all.iter().all(|other| *other == first), "the machines do not agree about the leader");
    Ok(first)
}

/// The roles as one machine reports them. Fails like [`healthy`].
async fn roles(http: &reqwest::Client, seen_by: u8) -> Result<Roles> {
    let view = members(http, seen_by).await?;
    let of = |role: &str| {
        let found = view.iter().find(|member| member.role == role).with_context(|| format!("there is no {role}"))?;
        number(&found.name)
    };
    let runs = |member: &Member| ["running", "streaming"].contains(&member.state.as_str());
    ensure!(view.len() == NUMBERS.len() && view.iter().all(runs), "a PostgreSQL does not run");
    Ok(Roles { leader: of("leader")?, synchronous: of("sync_standby")? })
}

/// The machine whose PostgreSQL writes, as others than `lost` see it.
///
/// # Errors
/// When there is none.
pub async fn leader_beside(http: &reqwest::Client, lost: Option<u8>) -> Result<u8> {
    for seen_by in NUMBERS.into_iter().filter(|number| Some(*number) != lost) {
        let Ok(view) = members(http, seen_by).await else { continue };
        for member in view.iter().filter(|member| member.role == "leader") {
            let leader = number(&member.name)?;
            // It answers so only when its promotion is over.
            if get(http, leader, PATRONI_PORT, "/primary").await.is_ok() {
                return Ok(leader);
            }
        }
    }
    anyhow::bail!("there is no leader")
}

async fn members(http: &reqwest::Client, seen_by: u8) -> Result<Vec<Member>> {
    let view: View = serde_json::from_value(get(http, seen_by, PATRONI_PORT, "/cluster").await?)?;
    Ok(view.members)
}

fn number(name: &str) -> Result<u8> {
    name.strip_prefix('n').and_then(|number| number.parse().ok()).with_context(|| format!("{name} is no machine"))
}

/// Whether a machine's Patroni answers.
pub async fn answers(http: &reqwest::Client, machine: u8) -> bool {
    get(http, machine, PATRONI_PORT, "/cluster").await.is_ok()
}

/// The machine of etcd's leader.
///
/// # Errors
/// When there is none.
pub async fn etcd_leader(http: &reqwest::Client) -> Result<u8> {
    for number in NUMBERS {
        if get(http, number, ETCD_PORT, "/v2/stats/self").await.is_ok_and(|own| own["state"] == "StateLeader") {
            return Ok(number);
        }
    }
    anyhow::bail!("etcd has no leader")
}

/// Makes a machine the leader of etcd.
///
/// # Errors
/// When it is not.
pub async fn move_etcd_leader(http: &reqwest::Client, to: u8) -> Result<()> {
    let from = etcd_leader(http).await?;
    if from != to {
        let target = get(http, to, ETCD_PORT, "/v2/stats/self").await?;
        let target = target["id"].as_str().context("etcd has an id")?;
        let endpoint = format!("--endpoints=http://{}:{ETCD_PORT}", machines::address(from));
        stack::host::network::run("env", &["ETCDCTL_API=3", "etcdctl", &endpoint, "move-leader", target])?;
    }
    ensure!(etcd_leader(http).await? == to, "etcd is not led by n{to}");
    Ok(())
}

async fn get(http: &reqwest::Client, machine: u8, port: u16, path: &str) -> Result<Value> {
    let request =
        http.get(format!("http://{}:{port}{path}", machines::address(machine))).timeout(Duration::from_secs(2));
    Ok(request.send().await?.error_for_status()?.json().await?)
}
