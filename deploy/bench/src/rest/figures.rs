//! What a pass measures, and the figures of the report.

use crate::load::Run;
use crate::report::Figure;

/// Connections of withdrawals one after another, and of function calls that they are compared with.
pub(super) const FEW: [usize; 3] = [1, 8, 32];

/// What one pass measured.
#[derive(Default)]
pub struct Pass {
    pub(super) spread: f64,
    pub(super) hot: f64,
    pub(super) busy: Run,
    /// One each for [`FEW`].
    pub(super) few: [Run; 3],
    pub(super) calls: [Run; 3],
    pub(super) whole: Run,
    pub(super) over: Run,
    pub(super) drained: f64,
    pub(super) lag_p99_ms: f64,
    pub(super) hop: Run,
    pub(super) bound: Run,
    pub(super) read: Run,
    pub(super) envoy_hop: Run,
    pub(super) envoy_read: Run,
    pub(super) plain_read: Run,
    pub(super) page: Run,
    pub(super) bare_page_p99_ms: f64,
}

pub const FIGURES: [Figure<Pass>; 53] = [
    ("S: peer, spread, 8 at once (/s)", |pass| pass.spread, ""),
    ("Sh: peer, one hot account, 8 at once (/s)", |pass| pass.hot, ""),
    ("withdrawals, 512 connections (/s)", |pass| pass.busy.rate, ""),
    ("B8 withdrawals at 512 ÷ S", |pass| pass.busy.rate / pass.spread, "≥ 0.75"),
    ("B8 withdrawals at 512 ÷ Sh", |pass| pass.busy.rate / pass.hot, ""),
    ("p99 of withdrawals at 512 (ms)", |pass| pass.busy.p99_ms, ""),
    ("CPU a withdrawal: gateway (µs)", |pass| cpu_us(&pass.busy, 0), ""),
    ("CPU a withdrawal: wallet (µs)", |pass| cpu_us(&pass.busy, 1), ""),
    ("CPU a withdrawal: auth (µs)", |pass| cpu_us(&pass.busy, 2), ""),
    ("CPU a withdrawal: payment-method (µs)", |pass| cpu_us(&pass.busy, 3), ""),
    ("CPU a withdrawal: PostgreSQL (µs)", |pass| cpu_us(&pass.busy, 4), ""),
    ("withdrawals while the relay works, 512 connections (/s)", |pass| pass.whole.rate, ""),
    ("withdrawals, 1 connection (/s)", |pass| pass.few[0].rate, ""),
    ("p50 of withdrawals at 1 (ms)", |pass| pass.few[0].p50_ms, ""),
    ("p99 of withdrawals at 1 (ms)", |pass| pass.few[0].p99_ms, ""),
    ("p50 of one function call a request at 1 (ms)", |pass| pass.calls[0].p50_ms, ""),
    ("B9 at 1: the one p99 ÷ the other", |pass| pass.few[0].p99_ms / pass.calls[0].p99_ms, ""),
    ("withdrawals, 8 connections (/s)", |pass| pass.few[1].rate, ""),
    ("p50 of withdrawals at 8 (ms)", |pass| pass.few[1].p50_ms, ""),
    ("p99 of withdrawals at 8 (ms)", |pass| pass.few[1].p99_ms, ""),
    ("p50 of one function call a request at 8 (ms)", |pass| pass.calls[1].p50_ms, ""),
    ("B9 at 8: the one p99 ÷ the other", |pass| pass.few[1].p99_ms / pass.calls[1].p99_ms, ""),
    ("withdrawals, 32 connections (/s)", |pass| pass.few[2].rate, ""),
    ("p50 of withdrawals at 32 (ms)", |pass| pass.few[2].p50_ms, ""),
    ("p99 of withdrawals at 32 (ms)", |pass| pass.few[2].p99_ms, ""),
    ("one function call a request, 32 connections (/s)", |pass| pass.calls[2].rate, ""),
    ("p50 of one function call a request at 32 (ms)", |pass| pass.calls[2].p50_ms, ""),
    ("p99 of one function call a request at 32 (ms)", |pass| pass.calls[2].p99_ms, ""),
    ("B9 at 32: the one p99 ÷ the other", |pass| pass.few[2].p99_ms / pass.calls[2].p99_ms, "≤ 2"),
    ("GET with one hop (/s)", |pass| pass.hop.rate, ""),
    ("GET with one hop, through Envoy (/s)", |pass| pass.envoy_hop.rate, ""),
    ("B10 ours ÷ Envoy's", |pass| pass.hop.rate / pass.envoy_hop.rate, "≥ 1.25"),
    ("B10 CPU of all processes ÷ that with Envoy", |pass| all_us(&pass.hop) / all_us(&pass.envoy_hop), "≤ 0.8"),
    ("CPU of the gateway a GET (µs)", |pass| cpu_us(&pass.hop, 0), ""),
    ("CPU of the wallet a GET (µs)", |pass| cpu_us(&pass.hop, 1), ""),
    ("GET with one hop, by sessions bound to a device (/s)", |pass| pass.bound.rate, ""),
    ("CPU of the gateway a bound GET (µs)", |pass| cpu_us(&pass.bound, 0), ""),
    (
        "B22 CPU of the proof ÷ that of the gateway a GET",
        |pass| cpu_us(&pass.bound, 0) / cpu_us(&pass.hop, 0) - 1.0,
        "≤ 0.05",
    ),
    ("GET with an indexed read (/s)", |pass| pass.read.rate, ""),
    ("GET with an indexed read, through Envoy (/s)", |pass| pass.envoy_read.rate, ""),
    ("GET with an indexed read, without hop (/s)", |pass| pass.plain_read.rate, ""),
    ("B11 ours ÷ Envoy's", |pass| pass.read.rate / pass.envoy_read.rate, "≥ 1.6"),
    ("B11 CPU of all processes ÷ that with Envoy", |pass| all_us(&pass.read) / all_us(&pass.envoy_read), ""),
    ("B11 ours ÷ without hop", |pass| pass.read.rate / pass.plain_read.rate, "≥ 0.62"),
    ("events relayed (/s)", |pass| pass.drained, ""),
    ("B14 events relayed ÷ withdrawals at 512", |pass| pass.drained / pass.busy.rate, "≥ 1.2"),
    ("B14 p99 of an event's wait at half the load (ms)", |pass| pass.lag_p99_ms, "≤ 250"),
    ("p99 of the newest 50 of 10^6 lines (ms)", |pass| pass.page.p99_ms, ""),
    ("p99 of the bare statement (ms)", |pass| pass.bare_page_p99_ms, ""),
    ("B15 the one p99 ÷ the other", |pass| pass.page.p99_ms / pass.bare_page_p99_ms, "≤ 3"),
    ("B19 done at twice the load ÷ withdrawals at 512", |pass| pass.over.rate / pass.busy.rate, "≥ 0.8"),
    ("refused at twice the load, of 100", |pass| refused_share(&pass.over), ""),
    ("B19 p99 of a refusal (ms)", |pass| pass.over.refused_p99_ms, "≤ 100"),
];

fn cpu_us(run: &Run, server: usize) -> f64 {
    run.cpu_us.get(server).copied().unwrap_or(f64::NAN)
}

/// CPU of all processes.
fn all_us(run: &Run) -> f64 {
    if run.cpu_us.is_empty() { f64::NAN } else { run.cpu_us.iter().sum() }
}

fn refused_share(run: &Run) -> f64 {
    100.0 * run.refused as f64 / (run.refused + run.done).max(1) as f64
}
