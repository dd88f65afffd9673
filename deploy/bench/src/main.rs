//! Benchmarks of the ledger, compared with the best PostgreSQL does with one commit per transfer, and of the product
//! over REST, compared with the same and with Envoy. Passes alternate with the peers; the report has the median and
//! range over the passes. The invariants are checked after every pass.

mod books;
mod buckets;
mod cala;
mod cpu;
mod databases;
mod device;
mod envoy;
mod hop;
mod http;
mod idle;
mod load;
mod login;
mod measure;
mod peer;
mod product;
mod report;
mod rest;
mod web;

use std::io::{Write, stdout};
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use stack::servers::postgres::{self, Durability, Postgres};

use crate::books::{Books, Work};
use crate::cala::Cala;
use crate::cpu::Server;
use crate::measure::Sample;
use crate::peer::Peer;
use crate::report::{Figure, report};

#[derive(Parser)]
struct Settings {
    /// The parts to measure; all by default.
    #[arg(value_enum)]
    what: Vec<What>,
    /// Seconds per measurement.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// The number of passes.
    #[arg(long, default_value_t = 3)]
    passes: usize,
    /// The number of entries for the last measurement, which is compared with the first; 0 skips it.
    #[arg(long, default_value_t = 0)]
    entries: i64,
    /// The database whose second half of the buckets this process works on, started by another that measures.
    #[arg(long, hide = true)]
    second_half: Option<String>,
    #[command(flatten)]
    rest: rest::RestSettings,
    #[command(flatten)]
    login: login::LoginSettings,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// B2 to B7, B18, B21.
    Ledger,
    /// The ledger in eight buckets, and in two processes: B23, B24.
    Buckets,
    /// B8 to B11, B14, B15, B19.
    Rest,
    /// Logins: figures B12 and B13.
    Login,
    /// Memory and CPU without load: figure B20.
    Idle,
    /// The pages on a slow phone, in a real browser.
    Web,
}

impl Settings {
    fn wants(&self, what: What) -> bool {
        self.what.is_empty() || self.what.contains(&what)
    }
}

/// What one pass measured.
struct Pass {
    peer_1: Sample,
    peer_8: Sample,
    peer_hot: Sample,
    cala: Sample,
    cala_hot: Sample,
    spread: [Sample; 4],
    hot: [Sample; 4],
    fund: Sample,
}

/// The number of concurrent transfers.
const AT_ONCE: [usize; 4] = [1, 8, 32, 1_024];

const FIGURES: [Figure<Pass>; 28] = [
    ("S: peer, spread, 8 at once (/s)", |pass| pass.peer_8.rate, ""),
    ("Sh: peer, one hot account, 8 at once (/s)", |pass| pass.peer_hot.rate, ""),
    ("peer, spread, 1 at once (/s)", |pass| pass.peer_1.rate, ""),
    ("cala-ledger, spread, 8 at once (/s)", |pass| pass.cala.rate, ""),
    ("cala-ledger, one hot account, 8 at once (/s)", |pass| pass.cala_hot.rate, ""),
    ("ledger, spread, 1 at once (/s)", |pass| pass.spread[0].rate, ""),
    ("ledger, spread, 8 at once (/s)", |pass| pass.spread[1].rate, ""),
    ("ledger, spread, 32 at once (/s)", |pass| pass.spread[2].rate, ""),
    ("ledger, spread, 1,024 at once (/s)", |pass| pass.spread[3].rate, ""),
    ("ledger, hot, 1 at once (/s)", |pass| pass.hot[0].rate, ""),
    ("ledger, hot, 8 at once (/s)", |pass| pass.hot[1].rate, ""),
    ("ledger, hot, 32 at once (/s)", |pass| pass.hot[2].rate, ""),
    ("ledger, hot, 1,024 at once (/s)", |pass| pass.hot[3].rate, ""),
    ("trades funded, 1,024 at once (/s)", |pass| pass.fund.rate, ""),
    ("B2 spread at 1,024 ÷ S", |pass| pass.spread[3].rate / pass.peer_8.rate, "≥ 4.0"),
    ("B2 spread at 1,024 ÷ cala-ledger", |pass| pass.spread[3].rate / pass.cala.rate, "≥ 45"),
    ("B3 hot at 1,024 ÷ Sh", |pass| pass.hot[3].rate / pass.peer_hot.rate, "≥ 14"),
    ("B3 hot at 1,024 ÷ cala-ledger", |pass| pass.hot[3].rate / pass.cala_hot.rate, "≥ 95"),
    ("B4 spread at 32 ÷ S", |pass| pass.spread[2].rate / pass.peer_8.rate, "≥ 1.8"),
    ("B4 hot at 32 ÷ Sh", |pass| pass.hot[2].rate / pass.peer_hot.rate, "≥ 5.5"),
    ("B4 p99 of spread at 32 (ms)", |pass| pass.spread[2].p99_ms, "≤ 5"),
    ("B5 spread at 1 ÷ peer at 1", |pass| pass.spread[0].rate / pass.peer_1.rate, "≥ 0.9"),
    ("B6 spread at 8 ÷ S", |pass| pass.spread[1].rate / pass.peer_8.rate, "≥ 0.9"),
    ("B6 hot at 8 ÷ Sh", |pass| pass.hot[1].rate / pass.peer_hot.rate, "≥ 2.2"),
    ("PostgreSQL's CPU a transfer, peer at 8 (µs)", |pass| pass.peer_8.database_us, ""),
    ("PostgreSQL's CPU a transfer, spread at 1,024 (µs)", |pass| pass.spread[3].database_us, ""),
    ("B7 the second ÷ the first", |pass| pass.spread[3].database_us / pass.peer_8.database_us, "≤ 0.17"),
    ("p99 of spread at 1,024 (ms)", |pass| pass.spread[3].p99_ms, ""),
];

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::parse();
    if let Some(url) = &settings.second_half {
        return buckets::second_half(url, settings.seconds).await;
    }
    for what in What::value_variants().iter().filter(|what| settings.wants(**what)) {
        // Each part gets its own server and folder, so that none sees the data of another.
        let folder = tempfile::Builder::new().prefix("solvane-bench-").tempdir()?;
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
        let postgres = Postgres::start(&postgres::Settings {
            folder: folder.path().join("pg"),
            log: folder.path().join("postgres.log"),
            password: "bench".to_owned(),
            durability: Durability::Full,
            clock: None,
            certificate: None,
        })
        .await?;
        let result = measure(*what, &settings, folder.path(), &postgres.url()).await;
        postgres.process().terminate().await?;
        result?;
    }
    Ok(())
}

async fn measure(what: What, settings: &Settings, folder: &Path, url: &str) -> Result<()> {
    let (passes, seconds) = (settings.passes, settings.seconds);
    let out = || stdout().lock();
    match what {
        What::Ledger => {
            report(&mut out(), &FIGURES, &measure_all(settings, url).await?)?;
            if settings.entries > 0 {
                let (entries, ratio) = (settings.entries, grown(settings, url).await?);
                writeln!(out(), "\nB21 with {entries} entries ÷ with few: {ratio:.2} (target ≥ 0.85)")?;
            }
        }
        What::Buckets => {
            report(&mut out(), &buckets::FIGURES, &buckets::measure(url, passes, seconds).await?)?;
        }
        What::Rest => {
            let passes = rest::measure(folder, url, passes, seconds, &settings.rest).await?;
            report(&mut out(), &rest::FIGURES, &passes)?;
        }
        What::Login => {
            let passes = login::measure(folder, url, passes, seconds, &settings.login).await?;
            report(&mut out(), &login::FIGURES, &passes)?;
        }
        What::Idle => report(&mut out(), &idle::FIGURES, &idle::measure(folder, url, passes).await?)?,
        What::Web => web::measure(folder, url, passes).await?,
    }
    Ok(())
}

async fn measure_all(settings: &Settings, url: &str) -> Result<Vec<Pass>> {
    let server = Server::of(url).await?;
    let (peer, books) = (Peer::new(url, "peer").await?, Books::new(url, "ledger", 1).await?);
    let cala = Cala::new(url).await?;
    let mut passes = Vec::new();
    for _ in 0..settings.passes {
        let seconds = settings.seconds;
        let (mut spread, mut hot) = (Vec::new(), Vec::new());
        let peer_1 = peer.transfer(&server, 1, seconds, false).await?;
        for at_once in AT_ONCE {
            spread.push(books.work(&server, at_once, seconds, Work::Spread).await?);
            hot.push(books.work(&server, at_once, seconds, Work::Hot).await?);
        }
        let peer_8 = peer.transfer(&server, 8, seconds, false).await?;
        let peer_hot = peer.transfer(&server, 8, seconds, true).await?;
        let cala_spread = cala.transfer(&server, 8, seconds, false).await?;
        let cala_hot = cala.transfer(&server, 8, seconds, true).await?;
        let fund = books.work(&server, 1_024, seconds, Work::Fund).await?;
        books.check().await.context("after a pass")?;
        let four = |samples: Vec<Sample>| <[Sample; 4]>::try_from(samples).ok().context("four samples");
        passes.push(Pass {
            peer_1,
            peer_8,
            peer_hot,
            cala: cala_spread,
            cala_hot,
            spread: four(spread)?,
            hot: four(hot)?,
            fund,
        });
    }
    Ok(passes)
}

/// B21: the rate with this many entries divided by that with few.
async fn grown(settings: &Settings, url: &str) -> Result<f64> {
    let (server, books) = (Server::of(url).await?, Books::new(url, "grown", 1).await?);
    let few = books.work(&server, 1_024, settings.seconds, Work::Spread).await?;
    books.grow(settings.entries).await?;
    let many = books.work(&server, 1_024, settings.seconds, Work::Spread).await?;
    books.check().await.context("after growing")?;
    Ok(many.rate / few.rate)
}
