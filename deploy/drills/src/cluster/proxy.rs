//! HAProxy before the servers: sqlx and lapin take one address, so a proxy finds the server that is to be used.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::Result;

use super::{
    broker,
    database::{self, PATRONI_PORT},
    machines::{self, NUMBERS},
};
use stack::host::{
    launch::{Launch, Output},
    ports,
    process::Process,
};

/// Debian keeps it where only root looks.
pub const PROGRAM: &str = "/usr/sbin/haproxy";
/// The protocol header of AMQP, which a node that is well answers with the first frame of a connection.
const GREETING: &str = "414d515000000901";

/// A running HAProxy.
#[derive(Debug)]
pub struct Proxy {
    /// Passes on to the PostgreSQL that writes.
    pub postgres: u16,
    /// Passes on to any node of RabbitMQ.
    pub amqp: u16,
    /// The same for the management interface.
    pub management: u16,
    _process: Process,
}

impl Proxy {
    /// Starts it on free ports of the loopback address.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(folder: &Path) -> Result<Self> {
        let (postgres, amqp, management) = (ports::free()?, ports::free()?, ports::free()?);
        let settings = folder.join("haproxy.cfg");
        fs::write(&settings, configuration(postgres, amqp, management)?)?;
        let output = Output::File(folder.join("logs/haproxy.log"));
        let launch = Launch::new("haproxy", PROGRAM, output);
        let process = launch.args(["-db", "-f", &settings.display().to_string()]).start()?;
        Ok(Self { postgres, amqp, management, _process: process })
    }
}

fn configuration(postgres: u16, amqp: u16, management: u16) -> Result<String> {
    let mut text = "global
  maxconn 4096
defaults
  mode tcp
  timeout connect 1s
  timeout check 1s
  timeout client 1h
  timeout server 1h
  option clitcpka
  option srvtcpka
  default-server inter 500ms fastinter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
"
    .to_owned();
    let mut listen = |name: &str, port: u16, check: &str, server: u16, check_port: u16| {
        write!(text, "listen {name}\n  bind 127.0.0.1:{port}\n{check}")?;
        for number in NUMBERS {
            let address = machines::address(number);
            writeln!(text, "  server n{number} {address}:{server} check port {check_port}")?;
        }
        anyhow::Ok(())
    };
    let primary = "  option httpchk GET /primary\n  http-check expect status 200\n";
    let greets = format!("  option tcp-check\n  tcp-check send-binary {GREETING}\n  tcp-check expect binary 0100\n");
    listen("postgres", postgres, primary, database::PORT, PATRONI_PORT)?;
    listen("amqp", amqp, &greets, broker::PORT, broker::PORT)?;
    listen("management", management, "", broker::MANAGEMENT_PORT, broker::MANAGEMENT_PORT)?;
    Ok(text)
}
