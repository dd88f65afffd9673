//! The W3C trace context that travels with calls and events.

use std::collections::BTreeMap;

use http::HeaderMap;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use serde::{Deserialize, Serialize};
use tonic::metadata::{MetadataKey, MetadataMap};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The W3C trace context of a request, as it is stored with an event.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TraceContext(BTreeMap<String, String>);

impl TraceContext {
    /// That of the current span.
    #[must_use]
    pub fn current() -> Self {
        let mut context = Self::default();
        TraceContextPropagator::new().inject_context(&Span::current().context(), &mut context);
        context
    }

    /// The W3C headers as name and value.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }
}

impl Injector for TraceContext {
    fn set(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }
}

impl Extractor for TraceContext {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

/// Makes a span the continuation of the trace named in the headers.
pub fn continue_trace(span: &Span, headers: &dyn Extractor) {
    // A span without a subscriber that traces has nothing to continue.
    let _ = span.set_parent(TraceContextPropagator::new().extract(headers));
}

/// Headers of HTTP, to read the trace from.
pub struct HttpHeaders<'a>(pub &'a HeaderMap);

impl Extractor for HttpHeaders<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

/// Writes the current span's context into the metadata of a call.
pub fn inject(metadata: &mut MetadataMap) {
    for (key, value) in TraceContext::current().0 {
        if let (Ok(key), Ok(value)) = (MetadataKey::from_bytes(key.as_bytes()), value.parse()) {
            metadata.insert(key, value);
        }
    }
}
