//! Requests from many connections at once, for a given time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::cpu::Server;
use crate::http::Connection;

/// How requests are sent.
pub struct Load<'a> {
    pub port: u16,
    /// The number of connections; each waits for the response before its next request.
    pub at_once: usize,
    /// For how long.
    pub seconds: u64,
    /// The maximum rate per second of all connections together; unlimited if unset.
    pub rate: Option<f64>,
    /// The servers whose CPU is measured.
    pub servers: &'a [Server],
}

/// What came out.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Successful requests.
    pub done: usize,
    /// The same a second.
    pub rate: f64,
    /// Their median, in milliseconds.
    pub p50_ms: f64,
    /// Their 99th percentile, in milliseconds.
    pub p99_ms: f64,
    /// Requests that were refused for now or timed out.
    pub refused: usize,
    /// The response to one of those.
    pub refusal: String,
    /// Their 99th percentile, in milliseconds.
    pub refused_p99_ms: f64,
    /// CPU of each server per successful request, in microseconds.
    pub cpu_us: Vec<f64>,
}

/// The durations seen by one connection, in microseconds.
#[derive(Default)]
struct Times {
    done: Vec<u32>,
    refused: Vec<u32>,
    refusal: String,
}

impl Load<'_> {
    /// Sends the requests that `next` writes for a connection, until the time is over or there are no more.
    pub async fn run(&self, next: impl Fn(usize, &mut Vec<u8>) -> bool + Send + Sync + 'static) -> Result<Run> {
        let next = Arc::new(next);
        let mut connections = Vec::with_capacity(self.at_once);
        for _ in 0..self.at_once {
            connections.push(Connection::open(self.port).await?);
        }
        let pace = self.rate.map(|rate| Duration::from_secs_f64(self.at_once as f64 / rate));
        let before = self.cpu()?;
        let start = Instant::now();
        let end = start + Duration::from_secs(self.seconds);
        let tasks: Vec<_> = connections
            .into_iter()
            .enumerate()
            .map(|(place, connection)| {
                let next = Arc::clone(&next);
                // Do not start all at the same time.
                let first = start + pace.unwrap_or_default().mul_f64(place as f64 / self.at_once as f64);
                tokio::spawn(async move { ask(connection, first, pace, end, |request| next(place, request)).await })
            })
            .collect();
        let mut all = Times::default();
        for task in tasks {
            let times = task.await??;
            all.done.extend(times.done);
            all.refused.extend(times.refused);
            if !times.refusal.is_empty() {
                all.refusal = times.refusal;
            }
        }
        let took = start.elapsed().as_secs_f64();
        let count = all.done.len().max(1) as f64;
        let spent = self.cpu()?.into_iter().zip(before).map(|(after, before)| (after - before) as f64 / count);
        Ok(Run {
            done: all.done.len(),
            rate: all.done.len() as f64 / took,
            refused: all.refused.len(),
            refusal: all.refusal,
            cpu_us: spent.collect(),
            p50_ms: percentile_ms(&mut all.done, 50),
            p99_ms: percentile_ms(&mut all.done, 99),
            refused_p99_ms: percentile_ms(&mut all.refused, 99),
        })
    }

    fn cpu(&self) -> Result<Vec<u64>> {
        self.servers.iter().map(Server::cpu_us).collect()
    }
}

async fn ask(
    mut connection: Connection,
    first: Instant,
    pace: Option<Duration>,
    end: Instant,
    next: impl Fn(&mut Vec<u8>) -> bool,
) -> Result<Times> {
    let (mut times, mut request, mut turn) = (Times::default(), Vec::new(), first);
    let mut is_new = true;
    loop {
        if let Some(pace) = pace {
            tokio::time::sleep_until(turn.into()).await;
            turn += pace;
        }
        if Instant::now() >= end {
            return Ok(times);
        }
        if is_new {
            request.clear();
            if !next(&mut request) {
                return Ok(times);
            }
        }
        let begun = Instant::now();
        let status = connection.exchange(&request).await?;
        let took = u32::try_from(begun.elapsed().as_micros())?;
        // Retry refused requests.
        is_new = matches!(status, 200 | 201);
        match status {
            200 | 201 => times.done.push(took),
            429 | 503 | 504 => {
                times.refused.push(took);
                if times.refusal.is_empty() {
                    times.refusal = format!("{status} {}", String::from_utf8_lossy(connection.body()));
                }
            }
            _ => bail!("answered {status}: {}", String::from_utf8_lossy(connection.body())),
        }
    }
}

/// A percentile of these microseconds, in milliseconds.
pub fn percentile_ms(times: &mut [u32], percent: usize) -> f64 {
    times.sort_unstable();
    times.get(times.len() * percent / 100).map_or(0.0, |time| f64::from(*time) / 1_000.0)
}
