//! The ledger in buckets, compared with a single one: the same members and transfers, by one process and by two.

use std::io::{Write, stdin, stdout};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::books::{Books, Work};
use crate::cpu::Server;
use crate::databases;
use crate::measure::Sample;
use crate::report::Figure;

/// How many buckets one is compared with; each of two processes has half of them.
const BUCKETS: u16 = 8;
/// The number of concurrent transfers.
const AT_ONCE: usize = 1_024;
const DATABASE: &str = "divided";

/// What one pass measured.
pub struct Pass {
    one: Sample,
    divided: Sample,
    halves: Sample,
}

pub const FIGURES: [Figure<Pass>; 9] = [
    ("ledger, spread, 1,024 at once, one bucket (/s)", |pass| pass.one.rate, ""),
    ("ledger, spread, 1,024 at once, eight buckets (/s)", |pass| pass.divided.rate, ""),
    ("ledger, spread, 512 at once in each of two processes, four buckets each (/s)", |pass| pass.halves.rate, ""),
    ("B23 eight buckets ÷ one", |pass| pass.divided.rate / pass.one.rate, "≥ 0.9"),
    ("B24 two processes ÷ one with one bucket", |pass| pass.halves.rate / pass.one.rate, "≥ 1.0"),
    ("B24 two processes ÷ one with eight buckets", |pass| pass.halves.rate / pass.divided.rate, "≥ 1.0"),
    ("PostgreSQL's CPU a transfer, one bucket (µs)", |pass| pass.one.database_us, ""),
    ("PostgreSQL's CPU a transfer, eight buckets (µs)", |pass| pass.divided.database_us, ""),
    ("PostgreSQL's CPU a transfer, two processes (µs)", |pass| pass.halves.database_us, ""),
];

pub async fn measure(server_url: &str, passes: usize, seconds: u64) -> Result<Vec<Pass>> {
    let server = Server::of(server_url).await?;
    let one = Books::new(server_url, "undivided", 1).await?;
    let divided = Books::new(server_url, DATABASE, BUCKETS).await?;
    let url = databases::url(server_url, DATABASE)?;
    let first_half = Books::open(&url, BUCKETS, 0..BUCKETS / 2).await?;
    let mut measured = Vec::new();
    for _ in 0..passes {
        measured.push(Pass {
            one: one.work(&server, AT_ONCE, seconds, Work::Spread).await?,
            divided: divided.work(&server, AT_ONCE, seconds, Work::Spread).await?,
            halves: two_processes(&server, &first_half, &url, seconds).await?,
        });
        one.check().await.context("one bucket")?;
        divided.check().await.context("eight buckets")?;
    }
    Ok(measured)
}

/// Works on the first half here and on the second in another process.
async fn two_processes(server: &Server, first_half: &Books, url: &str, seconds: u64) -> Result<Sample> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--seconds", &seconds.to_string(), "--second-half", url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut said = BufReader::new(child.stdout.take().context("its output")?).lines();
    ensure!(said.next_line().await?.as_deref() == Some(READY), "the second process did not start");
    let mut start = child.stdin.take().context("its input")?;
    let (cpu, began) = (server.cpu_us()?, Instant::now());
    start.write_all(b"\n").await?;
    let here = first_half.work(server, AT_ONCE / 2, seconds, Work::Spread).await?;
    let there: usize = said.next_line().await?.context("the second process ended")?.parse()?;
    let sum = Sample::new(here.done + there, began.elapsed(), server.cpu_us()? - cpu);
    ensure!(child.wait().await?.success(), "the second process failed");
    Ok(sum)
}

const READY: &str = "ready";

/// The second process: works on its half when it is sent a line, and prints how much was done.
pub async fn second_half(url: &str, seconds: u64) -> Result<()> {
    let server = Server::of(url).await?;
    let books = Books::open(url, BUCKETS, BUCKETS / 2..BUCKETS).await?;
    say(READY)?;
    stdin().read_line(&mut String::new())?;
    let sample = books.work(&server, AT_ONCE / 2, seconds, Work::Spread).await?;
    say(&sample.done.to_string())
}

fn say(line: &str) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}
