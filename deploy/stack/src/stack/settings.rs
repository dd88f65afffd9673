//! What kind of stack to start.

use std::path::PathBuf;
use std::sync::Arc;

use crate::host::clock::Clock;
use crate::nodes::Blocks;
use crate::servers::{BrokerServer, DatabaseServer};

/// What kind of stack to start.
#[derive(Clone, Debug)]
pub struct Settings {
    /// All its data.
    pub folder: PathBuf,
    /// The port of the gateway.
    pub port: u16,
    /// Where the databases are.
    pub databases: DatabaseServer,
    /// Where the broker is.
    pub broker: BrokerServer,
    /// An SMTP server, instead of mail as files.
    pub smtp_url: Option<String>,
    /// The built web application.
    pub web: PathBuf,
    /// Whether rate limits by address are off.
    pub unlimited: bool,
    /// Whether staff need a second factor.
    pub staff_totp: bool,
    /// The age at which services drain their gRPC connections; their own default without it.
    pub connection_age_seconds: Option<u64>,
    /// Whether there are two processes of each service, behind load balancers.
    pub two_of_each: bool,
    /// Where traces go, over OTLP; where the environment says without it.
    pub otlp_endpoint: Option<String>,
    /// Nodes of blockchains, where they are installed, and when they make blocks; none without it.
    pub chains: Option<Blocks>,
    /// Whether processes and servers of our own use TLS.
    pub tls: bool,
    /// Where the services log.
    pub logs: Logs,
    /// The time that PostgreSQL and the services see, if not the machine's.
    pub clock: Option<Arc<Clock>>,
    /// Further settings of every process.
    pub environment: Vec<(&'static str, String)>,
    /// Where the crash points of each process are armed, if its build has them: a folder for each.
    pub crash_points: Option<PathBuf>,
    /// Called before each slow step of the start.
    pub progress: fn(&str),
}

/// Where the services of a stack log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Logs {
    /// To one file a process.
    Files,
    /// The same, with warnings and errors on our standard output too, behind the name of their process.
    FilesAndTerminal {
        /// Whether the name is in colour.
        coloured: bool,
    },
}
