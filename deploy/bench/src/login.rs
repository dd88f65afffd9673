//! Logins: compared with a bare loop over the hash, and the effect of a storm of logins on reads.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Block, Params, PasswordHasher, Version};
use clap::Args;
use stack::Service;
use tokio::process::Command;

use crate::load::{Load, Run};
use crate::product::{Member, Product};
use crate::report::Figure;

const PASSWORD: &str = "correct horse battery staple";
/// Connections that log in without being refused: fewer than may queue.
const LOGINS: usize = 48;
/// Connections of a storm, and the attempts of each per second: in total about ten times what one core can do.
const STORM: (usize, f64) = (256, 2.0);
/// Connections that read at the same time, and the requests of each per second.
const READERS: (usize, f64) = (32, 20.0);

/// Options of these measurements.
#[derive(Args)]
pub struct LoginSettings {
    /// A Python with argon2-cffi; libargon2 is skipped without it.
    #[arg(long, env)]
    libargon2: Option<PathBuf>,
}

/// What one pass measured.
#[derive(Default)]
pub struct Pass {
    raw: f64,
    library: f64,
    logins: Run,
    idle: Run,
    beside: Run,
    storm: Run,
}

pub const FIGURES: [Figure<Pass>; 10] = [
    ("argon2 in a loop, one thread (/s)", |pass| pass.raw, ""),
    ("libargon2 in a loop, one thread (/s)", |pass| pass.library, ""),
    ("logins, 48 connections (/s)", |pass| pass.logins.rate, ""),
    ("B12 logins ÷ argon2 in a loop", |pass| pass.logins.rate / pass.raw, "≥ 0.92"),
    ("B12 logins ÷ libargon2 in a loop", |pass| pass.logins.rate / pass.library, "≥ 1.3"),
    ("p99 of a read, idle (ms)", |pass| pass.idle.p99_ms, ""),
    ("p99 of a read in a storm of logins (ms)", |pass| pass.beside.p99_ms, ""),
    ("B13 the second ÷ the first", |pass| pass.beside.p99_ms / pass.idle.p99_ms, "≤ 3"),
    ("logins sent away in the storm, of 100", |pass| share(&pass.storm), ""),
    ("p99 of being sent away (ms)", |pass| pass.storm.refused_p99_ms, ""),
];

fn share(run: &Run) -> f64 {
    100.0 * run.refused as f64 / (run.refused + run.done).max(1) as f64
}

/// Measures all of it in turn.
pub async fn measure(
    folder: &Path,
    url: &str,
    passes: usize,
    seconds: u64,
    settings: &LoginSettings,
) -> Result<Vec<Pass>> {
    let mut product = Product::start(&folder.join("stack"), url).await?;
    // Emails about new devices are not measured.
    product.stack.terminate(Service::Mailer).await?;
    let members = product.members(STORM.0).await?;
    let hash: PasswordHash =
        argon2()?.hash_password(PASSWORD.as_bytes()).map_err(|error| anyhow::anyhow!("{error}"))?;
    product.set_password(&members, &hash.to_string()).await?;
    let mut all = Vec::new();
    for _ in 0..passes {
        let mut pass = Pass { raw: raw(seconds)?, ..Pass::default() };
        if let Some(python) = &settings.libargon2 {
            pass.library = library(python, seconds).await?;
        }
        pass.logins = logins(&product, &members, LOGINS, None, seconds).await?;
        ensure!(pass.logins.refused == 0, "{} logins were sent away", pass.logins.refused);
        pass.idle = reads(&product, &members, seconds).await?;
        let (beside, storm) = tokio::join!(
            reads(&product, &members, seconds),
            logins(&product, &members, STORM.0, Some(STORM.0 as f64 * STORM.1), seconds)
        );
        (pass.beside, pass.storm) = (beside?, storm?);
        all.push(pass);
        // Wait until the counters of failed attempts expire and the queue is empty.
        product.forget_tries().await?;
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    product.check().await.context("after all passes")?;
    product.stack.end().await?;
    Ok(all)
}

fn argon2() -> Result<Argon2<'static>> {
    let params = Params::new(19 * 1024, 2, 1, None).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Hashes per second of one thread that does nothing else.
fn raw(seconds: u64) -> Result<f64> {
    let argon2 = argon2()?;
    let mut blocks = vec![Block::new(); argon2.params().block_count()];
    let (mut out, mut done) = ([0; 32], 0_u32);
    let (start, limit) = (Instant::now(), Duration::from_secs(seconds));
    while start.elapsed() < limit {
        let hashed = argon2.hash_password_into_with_memory(PASSWORD.as_bytes(), &[7; 16], &mut out, &mut blocks[..]);
        hashed.map_err(|error| anyhow::anyhow!("{error}"))?;
        done += 1;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

/// The same by the reference implementation.
async fn library(python: &Path, seconds: u64) -> Result<f64> {
    let script = format!(
        "import time\nfrom argon2.low_level import hash_secret_raw, Type\n\
         done, start = 0, time.monotonic()\n\
         while time.monotonic() - start < {seconds}:\n\
         \x20   hash_secret_raw(b'{PASSWORD}', bytes(16), 2, 19456, 1, 32, Type.ID)\n    done += 1\n\
         print(done / (time.monotonic() - start))"
    );
    let output = Command::new(python).arg("-c").arg(script).output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().context("a rate")
}

async fn logins(product: &Product, members: &[Member], at_once: usize, rate: Option<f64>, seconds: u64) -> Result<Run> {
    let requests: Vec<Vec<u8>> = members
        .iter()
        .map(|member| {
            let body = format!(r#"{{"email":"{}@example.test","password":"{PASSWORD}"}}"#, member.id);
            let head = "POST /v1/auth/login HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json";
            format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
        })
        .collect();
    Load { port: product.port(), at_once, seconds, rate, servers: &[] }
        .run(move |place, request| {
            request.extend_from_slice(&requests[place]);
            true
        })
        .await
}

async fn reads(product: &Product, members: &[Member], seconds: u64) -> Result<Run> {
    let requests: Vec<Vec<u8>> =
        members.iter().map(|member| crate::rest::get("/v1/transactions/user", &member.token)).collect();
    Load { port: product.port(), at_once: READERS.0, seconds, rate: Some(READERS.0 as f64 * READERS.1), servers: &[] }
        .run(move |place, request| {
            request.extend_from_slice(&requests[place]);
            true
        })
        .await
}
