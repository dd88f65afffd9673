//! Bounds the log lines of libraries, which know nothing of [`LogLimit`]: clients can cause some of them as often as they
//! like.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber, callsite};
use tracing_subscriber::layer::{Context, Filter};

use crate::log_limit::LogLimit;

/// Lets each line of a library pass as often as any line of our own that a client can cause.
#[derive(Debug)]
pub struct LibraryLines {
    /// The crates whose lines pass: this one and that of the process.
    own: [String; 2],
    limits: Mutex<HashMap<callsite::Identifier, LogLimit>>,
}

impl LibraryLines {
    /// For the log of this service.
    pub fn new(service: &str) -> Self {
        Self { own: ["chassis".to_owned(), service.replace('-', "_")], limits: Mutex::default() }
    }

    fn is_own(&self, metadata: &Metadata<'_>) -> bool {
        let of = metadata.target().split("::").next().unwrap_or_default();
        self.own.iter().any(|own| own == of)
    }

    fn passes(&self, metadata: &Metadata<'_>) -> bool {
        let mut passes = false;
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.entry(metadata.callsite()).or_default().log(|_| passes = true);
        if !passes {
            metrics::counter!("log_lines_left_out_total").increment(1);
        }
        passes
    }
}

impl<S: Subscriber> Filter<S> for LibraryLines {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        metadata.is_span() || self.is_own(metadata) || self.passes(metadata)
    }

    /// Has the filter asked about each line that it may leave out. A filter of events proper would be no help: one that it
    /// leaves out confuses tracing-subscriber about the next.
    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_span() || self.is_own(metadata) { Interest::always() } else { Interest::sometimes() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::filter::FilterExt;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{EnvFilter, Layer};

    use super::LibraryLines;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// [D-V1] [ASVS 16.4.2] A line that a library writes for each request of a client is cut; other lines go on.
    #[test]
    fn lines_of_libraries_are_bounded() {
        let log = Log::default();
        let writer = log.clone();
        let filter = EnvFilter::new("info").and(LibraryLines::new("payment-method"));
        let layer = tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).with_filter(filter);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            for _ in 0..400 {
                tracing::error!(target: "tower_http::services::fs", "Failed to read file");
                tracing::warn!(target: "payment_method::app", "own");
                tracing::debug!(target: "tower_http::services::fs", "quiet");
            }
            tracing::error!(target: "tower_http::services::fs", "another line");
        });
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let count = |part: &str| log.matches(part).count();
        assert!((20..=60).contains(&count("Failed to read file")), "{}", count("Failed to read file"));
        assert_eq!((count("own"), count("another line"), count("quiet")), (400, 1, 0));
    }
}
