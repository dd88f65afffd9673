//! Logs, traces and metrics, and the trace context that travels with calls and events.

mod library_lines;

mod setup;

mod trace_context;

pub use self::setup::{Telemetry, start};
pub use self::trace_context::{HttpHeaders, TraceContext, continue_trace, inject};
