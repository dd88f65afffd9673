//! The memory of the gateway: its limit, and the peak of its resident set.

use std::fs::{read_to_string, remove_dir, write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::sleep;

use stack::host::process::{Process, Signal};

/// The memory that the manifests give to the gateway.
pub const LIMIT: u64 = 512 << 20;
/// The memory that it may use at most, no matter what is sent. [D-V2]
pub const ACCEPTED: u64 = 200 << 20;

/// The limit and the peak of one process.
#[derive(Default)]
pub struct Memory {
    pid: u32,
    group: Option<Group>,
    peak: u64,
    /// Whether the kernel resets its own peak; otherwise only what was sampled counts.
    resets: bool,
}

/// A control group of our own, inside the present one; removed when it is dropped.
struct Group(PathBuf);

impl Drop for Group {
    fn drop(&mut self) {
        drop(remove_dir(&self.0));
    }
}

impl Group {
    /// Limits a process by cgroups of version 1 or 2, where this user may create one.
    fn around(pid: u32) -> Option<Self> {
        let groups = read_to_string("/proc/self/cgroup").ok()?;
        let own = |controller: &str| {
            let mut lines = groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
            lines.find(|(controllers, _)| controllers.split(',').any(|one| one == controller)).map(|(_, path)| path)
        };
        let (folder, limits) = match own("memory") {
            Some(path) => {
                (format!("/sys/fs/cgroup/memory{path}"), ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"])
            }
            None => (format!("/sys/fs/cgroup{}", own("")?), ["memory.max", "memory.swap.max"]),
        };
        let folder = Path::new(&folder).join(format!("solvane-attack-{pid}"));
        std::fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        write(group.0.join(limits[0]), LIMIT.to_string()).ok()?;
        // Not every kernel counts swap, and then there is no such file.
        drop(write(group.0.join(limits[1]), LIMIT.to_string()));
        write(group.0.join("cgroup.procs"), pid.to_string()).ok()?;
        Some(group)
    }
}

impl Memory {
    /// Limits a process and follows its peak. What it holds by now is not counted by its group, some 30 MiB.
    ///
    /// # Errors
    /// When its memory cannot be read.
    pub fn watch(&mut self, pid: u32) -> Result<()> {
        self.pid = pid;
        self.group = Group::around(pid);
        self.begin()
    }

    pub const fn how_limited(&self) -> &'static str {
        if self.group.is_some() {
            "a control group"
        } else {
            "no control group here, so it is killed when it holds more"
        }
    }

    /// Begins a new peak.
    ///
    /// # Errors
    /// When its memory cannot be read.
    pub fn begin(&mut self) -> Result<()> {
        self.resets = write(format!("/proc/{}/clear_refs", self.pid), "5").is_ok();
        self.peak = self.read("VmRSS")?;
        Ok(())
    }

    /// Carries out some work, or as much of it as there is before the process ends.
    pub async fn follow<T>(&mut self, process: &Process, work: impl Future<Output = T>) -> Option<T> {
        let sampled = async {
            loop {
                self.sample(process);
                sleep(Duration::from_millis(20)).await;
            }
        };
        let done = tokio::select! {
            done = work => Some(done),
            _ = process.wait() => None,
            () = sampled => None,
        };
        self.sample(process);
        done
    }

    /// The peak in bytes.
    pub const fn peak(&self) -> u64 {
        self.peak
    }

    fn sample(&mut self, process: &Process) {
        let field = if self.resets { "VmHWM" } else { "VmRSS" };
        self.peak = self.peak.max(self.read(field).unwrap_or_default());
        if self.group.is_none() && self.peak > LIMIT {
            drop(process.signal(Signal::KILL));
        }
    }

    fn read(&self, field: &str) -> Result<u64> {
        let status = read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        let kib: u64 = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).context("no such figure")?;
        Ok(kib << 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stack::host::launch::{Launch, Output};

    /// The peak is that of the present case alone, also when it is over before it could be sampled.
    #[tokio::test]
    async fn a_peak_is_seen_and_begins_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let marks = folder.path().join("marks");
        let script = format!(
            "a=$(head -c 40000000 /dev/zero | tr '\\0' x); a=; touch {0}; until [ -e {0}.go ]; do sleep 0.01; done",
            marks.display()
        );
        let process = Launch::new("script", "sh", Output::File(folder.path().join("log"))).args(["-c", &script]);
        let process = process.start().expect("started");
        let mut memory = Memory { pid: process.id(), ..Memory::default() };
        memory.begin().expect("readable");
        let touched = async {
            while !marks.exists() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        memory.follow(&process, touched).await.expect("it runs");
        assert!(memory.peak() > 30 << 20, "{}", memory.peak());
        memory.begin().expect("readable");
        assert!(memory.peak() < 30 << 20, "{}", memory.peak());
        write(folder.path().join("marks.go"), "").expect("written");
        assert!(memory.follow(&process, std::future::pending::<()>()).await.is_none(), "its end was not seen");
    }
}
