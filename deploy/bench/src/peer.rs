//! The peer: one PL/pgSQL call and one commit per transfer, driven by pgbench. Its rate is S when spread over many
//! accounts, and Sh on one hot account.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sqlx::{Connection, PgConnection};
use tokio::process::Command;

use crate::cpu::Server;
use crate::measure::Sample;

pub struct Peer {
    url: String,
}

impl Peer {
    /// Makes its database on the server.
    pub async fn new(server_url: &str, name: &str) -> Result<Self> {
        let url = crate::databases::create(server_url, name).await?;
        let mut conn = PgConnection::connect(&url).await?;
        sqlx::raw_sql(include_str!("../sql/peer.sql")).execute(&mut conn).await?;
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut conn).await?;
        Ok(Self { url })
    }

    /// Transfers for the given time, spread over accounts or all to one.
    pub async fn transfer(&self, server: &Server, at_once: usize, seconds: u64, hot: bool) -> Result<Sample> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
        let script = folder.join(if hot { "hot.pgbench" } else { "spread.pgbench" });
        let before = server.cpu_us()?;
        let output = Command::new(stack::servers::postgres::program("pgbench")?)
            .args(["--no-vacuum", "--protocol=prepared", "--jobs=2"])
            .arg(format!("--client={at_once}"))
            .arg(format!("--time={seconds}"))
            .arg("--file")
            .arg(script)
            .arg(&self.url)
            .stderr(Stdio::inherit())
            .output()
            .await?;
        ensure!(output.status.success(), "pgbench failed");
        let text = String::from_utf8_lossy(&output.stdout);
        let number = |label: &str| {
            let line = text.lines().find(|line| line.starts_with(label))?;
            line[label.len()..].split([' ', '/']).find(|word| !word.is_empty())?.parse::<f64>().ok()
        };
        let done = number("number of transactions actually processed:").context("pgbench said no count")?;
        let rate = number("tps =").context("pgbench said no rate")?;
        let took = Duration::from_secs_f64(done / rate);
        Ok(Sample::new(done as usize, took, server.cpu_us()? - before))
    }
}
