//! Logs, traces and metrics of a process.

use std::io;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use opentelemetry_otlp::{LogExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::FilterExt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use super::library_lines::LibraryLines;
use crate::config::{LogFormat, Ops};

/// Buckets of durations, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// What is logged unless `RUST_LOG` says otherwise.
const LOGGED: &str = "info,lapin=off,sqlx=warn";

/// What must live as long as the process.
pub struct Telemetry {
    collected: Option<Collected>,
    /// Renders the body of `/metrics`.
    pub metrics: PrometheusHandle,
}

impl Telemetry {
    /// Sends what waits.
    pub fn flush(self) {
        if let Some(Collected { traces, logs }) = self.collected {
            let _ = (traces.shutdown(), logs.shutdown());
        }
    }
}

/// What goes to a collector.
struct Collected {
    traces: SdkTracerProvider,
    logs: SdkLoggerProvider,
}

/// Starts logs, traces and metrics for the process. Call once, inside the runtime.
///
/// # Errors
/// If the exporter or the recorder cannot be set up.
pub fn start(service: &str, ops: &Ops) -> anyhow::Result<Telemetry> {
    let collected = ops.otel_exporter_otlp_endpoint.as_deref().map(|to| Collected::new(service, to)).transpose()?;
    let tracer = collected.as_ref().map(|Collected { traces, .. }| {
        tracing_opentelemetry::layer().with_tracer(traces.tracer("solvane")).with_filter(EnvFilter::new("info"))
    });
    // What the exporter itself does must not be exported.
    let sent = collected.as_ref().map(|Collected { logs, .. }| {
        let filter = EnvFilter::new(format!("{LOGGED},opentelemetry=off,tonic=off,h2=off,hyper=off,tower=off"));
        OpenTelemetryTracingBridge::new(logs).with_filter(filter.and(LibraryLines::new(service)))
    });
    // A closed stdout must not end the process, so that nothing here prints about failures to print.
    let logs = tracing_subscriber::fmt::layer().with_writer(io::stdout).log_internal_errors(false);
    let logs = match ops.log_format {
        LogFormat::Human => logs.with_target(false).boxed(),
        LogFormat::Json => logs.json().flatten_event(true).boxed(),
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOGGED));
    tracing_subscriber::registry()
        .with(tracer)
        .with(sent)
        .with(logs.with_filter(filter.and(LibraryLines::new(service))))
        .try_init()?;
    let metrics = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)?
        .add_global_label("service", service)
        .install_recorder()?;
    Ok(Telemetry { collected, metrics })
}

impl Collected {
    fn new(service: &str, endpoint: &str) -> anyhow::Result<Self> {
        let resource = Resource::builder()
            .with_service_name(service.to_owned())
            .with_attribute(KeyValue::new("service.namespace", "solvane"))
            .build();
        let spans = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build()?;
        let records = LogExporter::builder().with_tonic().with_endpoint(endpoint).build()?;
        Ok(Self {
            traces: SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource.clone()).build(),
            logs: SdkLoggerProvider::builder().with_batch_exporter(records).with_resource(resource).build(),
        })
    }
}
