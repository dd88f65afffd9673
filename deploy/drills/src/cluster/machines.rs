//! Three machines on a switch. Each is a network namespace with a disk of its own; the switch is a fourth, in which the
//! services, the proxy and their clients run.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use tokio::time::{Instant, sleep};

use stack::host::{
    launch::{Launch, Output},
    network::{self, Namespace, ip, run},
    place,
    process::Process,
};

/// The first three parts of every address on the switch.
const SUBNET: &str = "10.77.0";
/// The size of a machine's disk.
const DISK: &str = "900m";
/// How long the signals to a machine's processes may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Drops what goes through a machine's cable, in both directions.
const CUT: &str = "table inet cut {
  chain in { type filter hook input priority 0; policy accept; iifname \"eth0\" drop
  }
  chain out { type filter hook output priority 0; policy accept; oifname \"eth0\" drop
  }
}
";

/// The switch, which this process uses as its network from then on.
#[derive(Debug)]
pub struct Switch {
    namespace: Namespace,
}

/// A server that every machine runs.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Server {
    Etcd,
    /// Starts and stops PostgreSQL.
    Patroni,
    /// The name server of RabbitMQ.
    Epmd,
    RabbitMq,
}

/// A machine, with the processes that were started on it.
#[derive(Debug)]
pub struct Machine {
    pub number: u8,
    pub processes: BTreeMap<Server, Process>,
    namespace: Namespace,
    folder: PathBuf,
}

// === impl Switch ===

impl Switch {
    /// Makes the switch and moves this thread to its network.
    ///
    /// # Errors
    /// When this is not root, or the system has no namespaces.
    pub fn create() -> Result<Self> {
        network::remove_abandoned();
        let namespace = Namespace::create("switch")?;
        let name = namespace.name();
        ip(&format!("-n {name} link add name switch type bridge"))?;
        ip(&format!("-n {name} addr add {SUBNET}.254/24 dev switch"))?;
        ip(&format!("-n {name} link set switch up"))?;
        network::enter(&namespace.path())?;
        Ok(Self { namespace })
    }
}

// === impl Server ===

impl Server {
    /// All, in the order in which they are started.
    pub const ALL: [Self; 4] = [Self::Etcd, Self::Patroni, Self::Epmd, Self::RabbitMq];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::Patroni => "patroni",
            Self::Epmd => "epmd",
            Self::RabbitMq => "rabbitmq",
        }
    }
}

// === impl Machine ===

impl Machine {
    /// A machine on the switch, with an empty disk.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(number: u8, switch: &Switch, folder: &Path) -> Result<Self> {
        let namespace = Namespace::create(&format!("n{number}"))?;
        let (at, own) = (switch.namespace.name(), namespace.name());
        ip(&format!("-n {at} link add port{number} type veth peer name eth0 netns {own}"))?;
        ip(&format!("-n {at} link set port{number} master switch up"))?;
        ip(&format!("-n {own} addr add {}/24 dev eth0", address(number)))?;
        ip(&format!("-n {own} link set eth0 up"))?;
        let folder = folder.join(format!("n{number}"));
        fs::create_dir_all(&folder)?;
        let target = folder.display().to_string();
        run("mount", &["-t", "tmpfs", "-o", &format!("size={DISK},mode=0711"), "solvane", &target])?;
        Ok(Self { number, processes: BTreeMap::new(), namespace, folder })
    }

    #[must_use]
    pub fn name(&self) -> String {
        format!("n{}", self.number)
    }

    #[must_use]
    pub fn address(&self) -> String {
        address(self.number)
    }

    /// Its disk.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The launch of a program on it, as a user, in a folder of its disk.
    #[must_use]
    pub fn launch(&self, server: Server, program: &str, user: &'static str, folder: &Path, logs: &Path) -> Launch {
        let name = format!("{}-{}", self.name(), server.name());
        let mut launch = Launch::new(&name, program, Output::File(logs.join(format!("{name}.log"))));
        launch.user = place::user_for(user);
        launch.network = Some(self.namespace.path());
        launch.folder = Some(folder.to_owned());
        launch
    }

    /// SIGKILL to everything on it, until nothing is left.
    ///
    /// # Errors
    /// When something stays.
    pub async fn kill(&mut self) -> Result<()> {
        let limit = Instant::now() + LIMIT;
        while !self.namespace.processes()?.is_empty() {
            ensure!(Instant::now() < limit, "{} still has processes", self.name());
            self.namespace.signal(Signal::KILL)?;
            sleep(Duration::from_millis(20)).await;
        }
        self.processes.clear();
        Ok(())
    }

    /// SIGSTOP to everything on it, until everything has stopped.
    ///
    /// # Errors
    /// When something still runs.
    pub async fn freeze(&self) -> Result<()> {
        let limit = Instant::now() + LIMIT;
        while !self.is_frozen()? {
            ensure!(Instant::now() < limit, "{} still has running processes", self.name());
            self.namespace.signal(Signal::STOP)?;
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// SIGCONT to everything on it.
    ///
    /// # Errors
    /// When a process may not be signalled.
    pub fn thaw(&self) -> Result<()> {
        self.namespace.signal(Signal::CONT)
    }

    /// Whether it has processes, and all are stopped.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub fn is_frozen(&self) -> Result<bool> {
        let processes = self.namespace.processes()?;
        let stopped = |pid: &rustix::process::Pid| {
            let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
            stat.is_empty()
                || stat.rsplit(')').next().is_some_and(|rest| [" T", " Z"].iter().any(|state| rest.starts_with(state)))
        };
        Ok(!processes.is_empty() && processes.iter().all(stopped))
    }

    /// Drops all packets to and from it, without closing connections.
    ///
    /// # Errors
    /// When the rules are refused.
    pub fn cut(&self) -> Result<()> {
        let mut nft = Command::new("ip")
            .args(["netns", "exec", self.namespace.name(), "nft", "-f", "-"])
            .stdin(Stdio::piped())
            .spawn()
            .context("cannot run nft")?;
        nft.stdin.take().context("a pipe")?.write_all(CUT.as_bytes())?;
        ensure!(nft.wait()?.success(), "nft refuses the cut");
        Ok(())
    }

    /// Lets packets through again.
    ///
    /// # Errors
    /// When it was not cut.
    pub fn mend(&self) -> Result<()> {
        run("ip", &["netns", "exec", self.namespace.name(), "nft", "delete", "table", "inet", "cut"]).map(drop)
    }

    /// Fills its disk to the last byte.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn fill(&self) -> Result<()> {
        let mut file = fs::File::create(self.ballast())?;
        for size in [1 << 20, 1 << 12, 1] {
            let block = vec![0; size];
            while file.write_all(&block).is_ok() {}
        }
        Ok(())
    }

    /// Frees what [`Self::fill`] took.
    ///
    /// # Errors
    /// When it was not filled.
    pub fn empty(&self) -> Result<()> {
        Ok(fs::remove_file(self.ballast())?)
    }

    /// Whether nothing more can be written to its disk.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let probe = self.folder.join("probe");
        let is_full = fs::write(&probe, [0; 8192]).is_err();
        drop(fs::remove_file(probe));
        is_full
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // PostgreSQL and epmd are not among our own children.
        while self.namespace.processes().is_ok_and(|processes| !processes.is_empty()) {
            drop(self.namespace.signal(Signal::KILL));
            std::thread::sleep(Duration::from_millis(20));
        }
        self.processes.clear();
        drop(run("umount", &["--lazy", &self.folder.display().to_string()]));
    }
}

/// The address of a machine.
#[must_use]
pub fn address(number: u8) -> String {
    format!("{SUBNET}.{number}")
}

/// All machines.
pub const NUMBERS: [u8; 3] = [1, 2, 3];

/// The addresses that machines and clients have.
#[must_use]
pub fn subnet() -> String {
    format!("{SUBNET}.0/24")
}
