//! One measurement: a number of concurrent operations for a given time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cpu::Server;

/// What came out.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub done: usize,
    /// Operations a second.
    pub rate: f64,
    /// The 99th percentile in milliseconds; 0 if not measured.
    pub p99_ms: f64,
    /// PostgreSQL's CPU an operation, in microseconds.
    pub database_us: f64,
}

impl Sample {
    /// Computed from a count and a duration.
    pub fn new(done: usize, took: Duration, database_us: u64) -> Self {
        let count = done.max(1) as f64;
        Self { done, rate: count / took.as_secs_f64(), p99_ms: 0.0, database_us: database_us as f64 / count }
    }
}

/// Runs the operation in `at_once` tasks, each again and again, for `seconds`.
pub async fn drive<F, T>(server: &Server, at_once: usize, seconds: u64, operation: F) -> Result<Sample>
where
    F: Fn() -> T + Send + Sync + 'static,
    T: Future<Output = Result<()>> + Send,
{
    let operation = Arc::new(operation);
    let (cpu, start) = (server.cpu_us()?, Instant::now());
    let end = start + Duration::from_secs(seconds);
    let tasks: Vec<_> = (0..at_once)
        .map(|_| {
            let operation = Arc::clone(&operation);
            tokio::spawn(async move {
                let mut times = Vec::new();
                while Instant::now() < end {
                    let begun = Instant::now();
                    operation().await?;
                    times.push(begun.elapsed());
                }
                anyhow::Ok(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let mut sample = Sample::new(times.len(), start.elapsed(), server.cpu_us()? - cpu);
    times.sort_unstable();
    if let Some(time) = times.get(times.len() * 99 / 100) {
        sample.p99_ms = time.as_secs_f64() * 1_000.0;
    }
    Ok(sample)
}
