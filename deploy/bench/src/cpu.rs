//! CPU time of a server from /proc: of the first process, its children, and ended children.

use std::fs;

use anyhow::{Context, Result};
use sqlx::{Connection, PgConnection};

/// A clock tick of /proc in microseconds; Linux has 100 per second.
const TICK_US: u64 = 10_000;

/// The root process of a server.
#[derive(Clone)]
pub struct Server {
    pid: u32,
}

impl Server {
    /// That of the server behind a url.
    pub async fn of(url: &str) -> Result<Self> {
        let mut conn = PgConnection::connect(url).await?;
        let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut conn).await?;
        // Before the connection is closed, because the backend ends with it.
        let stat = Stat::read(u32::try_from(backend)?).context("a backend")?;
        conn.close().await?;
        Ok(Self { pid: stat.parent })
    }

    /// That of a process we started.
    pub const fn with(pid: u32) -> Self {
        Self { pid }
    }

    /// Microseconds of CPU since it started.
    pub fn cpu_us(&self) -> Result<u64> {
        let own = Stat::read(self.pid).context("the postmaster")?;
        let mut ticks = own.ticks + own.ticks_of_the_dead;
        for entry in fs::read_dir("/proc")?.flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(stat) = pid.and_then(Stat::read).filter(|stat| stat.parent == self.pid) {
                ticks += stat.ticks;
            }
        }
        Ok(ticks * TICK_US)
    }
}

struct Stat {
    parent: u32,
    ticks: u64,
    ticks_of_the_dead: u64,
}

impl Stat {
    /// For a process that may have ended.
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain spaces and parentheses. The fields after it: state, parent, …
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            ticks: number(11)? + number(12)?,
            ticks_of_the_dead: number(13)? + number(14)?,
        })
    }
}
