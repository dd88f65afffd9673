//! The ledger in buckets, compared with a single one: the same members and transfers, by one process and by two.

use std::io::{Write, stdin, stdout};
use std::process::Stdio;

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
/// The numbers of concurrent transfers: many for one bucket, and as many for each.
const AT_ONCE: [usize; 2] = [1_024, 8_192];
const DATABASE: &str = "divided";

/// What one pass measured: at each number of concurrent transfers.
pub struct Pass([Samples; 2]);

struct Samples {
    one: Sample,
    divided: Sample,
    halves: Sample,
}

pub const FIGURES: [Figure<Pass>; 14] = [
    ("one bucket, 1,024 at once (/s)", |pass| pass.0[0].one.rate, ""),
    ("eight buckets, 1,024 at once (/s)", |pass| pass.0[0].divided.rate, ""),
    ("four buckets in each of two processes, 1,024 at once (/s)", |pass| pass.0[0].halves.rate, ""),
    ("one bucket, 8,192 at once (/s)", |pass| pass.0[1].one.rate, ""),
    ("eight buckets, 8,192 at once (/s)", |pass| pass.0[1].divided.rate, ""),
    ("four buckets in each of two processes, 8,192 at once (/s)", |pass| pass.0[1].halves.rate, ""),
    ("B23 eight buckets ÷ one, 1,024 at once", |pass| pass.0[0].divided.rate / pass.0[0].one.rate, ""),
    ("B23 eight buckets ÷ one, 8,192 at once", |pass| pass.0[1].divided.rate / pass.0[1].one.rate, "≥ 0.9"),
    ("B24 two processes ÷ one bucket, 1,024 at once", |pass| pass.0[0].halves.rate / pass.0[0].one.rate, ""),
    ("B24 two processes ÷ one bucket, 8,192 at once", |pass| pass.0[1].halves.rate / pass.0[1].one.rate, "≥ 1.0"),
    ("PostgreSQL's CPU a transfer, one bucket, 1,024 at once (µs)", |pass| pass.0[0].one.database_us, ""),
    ("PostgreSQL's CPU a transfer, eight buckets, 1,024 at once (µs)", |pass| pass.0[0].divided.database_us, ""),
    ("PostgreSQL's CPU a transfer, one bucket, 8,192 at once (µs)", |pass| pass.0[1].one.database_us, ""),
    ("PostgreSQL's CPU a transfer, eight buckets, 8,192 at once (µs)", |pass| pass.0[1].divided.database_us, ""),
];

pub async fn measure(server_url: &str, passes: usize, seconds: u64) -> Result<Vec<Pass>> {
    let server = Server::of(server_url).await?;
    let one = Books::new(server_url, "undivided", 1).await?;
    let divided = Books::new(server_url, DATABASE, BUCKETS).await?;
    let url = databases::url(server_url, DATABASE)?;
    let first_half = Books::open(&url, BUCKETS, 0..BUCKETS / 2).await?;
    let mut measured = Vec::new();
    for _ in 0..passes {
        let mut both = Vec::new();
        for at_once in AT_ONCE {
            both.push(Samples {
                one: one.work(&server, at_once, seconds, Work::Spread).await?,
                divided: divided.work(&server, at_once, seconds, Work::Spread).await?,
                halves: two_processes(&server, &first_half, &url, at_once / 2, seconds).await?,
            });
        }
        measured.push(Pass(both.try_into().ok().context("two numbers")?));
        one.check().await.context("one bucket")?;
        divided.check().await.context("eight buckets")?;
    }
    Ok(measured)
}

/// Works on the first half here and on the second in another process.
async fn two_processes(server: &Server, first_half: &Books, url: &str, at_once: usize, seconds: u64) -> Result<Sample> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--seconds", &seconds.to_string(), "--second-half", url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut said = BufReader::new(child.stdout.take().context("its output")?).lines();
    ensure!(said.next_line().await?.as_deref() == Some(READY), "the second process did not start");
    let mut start = child.stdin.take().context("its input")?;
    start.write_all(format!("{at_once}\n").as_bytes()).await?;
    let here = first_half.work(server, at_once, seconds, Work::Spread).await?;
    let there = said.next_line().await?.context("the second process ended")?;
    ensure!(child.wait().await?.success(), "the second process failed");
    let (done, rate) = there.split_once(' ').context("what it did")?;
    let (here_done, done) = (here.done, here.done + done.parse::<usize>()?);
    // PostgreSQL worked for both during the same time.
    let database_us = here.database_us * here_done as f64 / done as f64;
    Ok(Sample { done, rate: here.rate + rate.parse::<f64>()?, database_us, ..here })
}

const READY: &str = "ready";

/// The second process: works on its half when it is sent a number of concurrent transfers, and prints what was done.
pub async fn second_half(url: &str, seconds: u64) -> Result<()> {
    let server = Server::of(url).await?;
    let books = Books::open(url, BUCKETS, BUCKETS / 2..BUCKETS).await?;
    // What a process does once, the other did before.
    books.work(&server, AT_ONCE[0] / 2, 1, Work::Spread).await?;
    say(READY)?;
    let mut at_once = String::new();
    stdin().read_line(&mut at_once)?;
    let sample =
        books.work(&server, at_once.trim().parse().context("how many at once")?, seconds, Work::Spread).await?;
    say(&format!("{} {}", sample.done, sample.rate))
}

fn say(line: &str) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}
