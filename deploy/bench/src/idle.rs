//! Memory and CPU of idle processes, and how long each takes to become ready.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use stack::Service;

use crate::product::Product;
use crate::report::Figure;

/// What one pass measured: memory in MiB, time in seconds.
pub struct Pass {
    largest_service: f64,
    gateway: f64,
    slowest: f64,
}

pub const FIGURES: [Figure<Pass>; 3] = [
    ("B20 memory of the largest service at rest (MiB)", |pass| pass.largest_service, "≤ 20"),
    ("B20 memory of the gateway at rest (MiB)", |pass| pass.gateway, "≤ 30"),
    ("B20 start to ready of the slowest process (s)", |pass| pass.slowest, "≤ 1"),
];

/// Restarts the processes one after another in each pass.
pub async fn measure(folder: &Path, url: &str, passes: usize) -> Result<Vec<Pass>> {
    let mut product = Product::start(&folder.join("stack"), url).await?;
    let mut all = Vec::new();
    for _ in 0..passes {
        let mut slowest = Duration::ZERO;
        for service in Service::ALL {
            product.stack.terminate(service).await?;
            let begun = Instant::now();
            product.stack.restart(service).await?;
            slowest = slowest.max(begun.elapsed());
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        let mut largest_service = 0.0_f64;
        for service in Service::services() {
            largest_service = largest_service.max(resident_mib(&product, service)?);
        }
        all.push(Pass {
            largest_service,
            gateway: resident_mib(&product, Service::Gateway)?,
            slowest: slowest.as_secs_f64(),
        });
    }
    product.stack.end().await?;
    Ok(all)
}

fn resident_mib(product: &Product, service: Service) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", product.stack.process(service)?.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a resident set")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1_024.0)
}
