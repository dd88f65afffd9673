//! A request as it is named, traced and measured.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use tracing::Span;
use uuid::Uuid;

use crate::extract::RequestId;

/// A request that has begun.
pub struct Seen {
    pub id: String,
    pub span: Span,
    route: String,
    method: Method,
    begun: Instant,
}

impl Seen {
    /// Begins a trace of our own: one that a client names would be sampled, or left out, as the client likes.
    pub fn begin(request: &mut Request) -> Self {
        let id = Uuid::now_v7().to_string();
        let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
        let method = request.method().clone();
        let span = tracing::info_span!(
            "gateway.request", otel.name = %format_args!("{method} {route}"), http.request.method = %method,
            http.route = %route, request_id = %id, http.response.status_code = tracing::field::Empty
        );
        request.extensions_mut().insert(RequestId(id.clone()));
        Self { id, route, method, span, begun: Instant::now() }
    }

    pub fn end(self, response: &mut Response) {
        let status = response.status();
        self.span.record("http.response.status_code", status.as_u16());
        metrics::histogram!(
            "http_server_duration_seconds",
            "method" => self.method.to_string(), "route" => self.route, "status" => status.as_str().to_owned()
        )
        .record(self.begun.elapsed());
        name(response, self.id);
    }
}

/// Returns the id of the request in a header, by which support finds it.
pub fn name(response: &mut Response, id: String) {
    if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(id)) {
        response.headers_mut().insert("x-request-id", value);
    }
}
