//! gRPC: the server that every service runs, and the channels and calls by which it reaches others.

mod call;

mod channel;

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request as HttpRequest, Response as HttpResponse};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Response, Status};
use tower::{Layer, Service};
use tracing::Instrument;

pub use self::call::{Call, DEADLINE, Outgoing, call_with_retry};
pub use self::channel::channel;
use crate::idempotency::Answer;
use crate::telemetry::{self, HttpHeaders};

/// Calls at work at once in one process; further ones wait shortly and are then refused by their deadline.
const CONCURRENCY: usize = 512;
/// After so long a client is asked to reconnect, unless the configuration says otherwise: so new replicas get their share
/// of the calls.
pub const CONNECTION_AGE: Duration = Duration::from_mins(5);
/// Metadata: the id of the request as the gateway named it.
pub const REQUEST_ID: &str = "x-request-id";
/// Metadata of an answer that was given before, with the id of the first request.
pub const REPLAYED: &str = "idempotency-replayed";

/// Serves the routes until shutdown, then drains: it stops accepting, sends GOAWAY on every connection, and answers the
/// calls in flight. A connection of this age is drained in the same way.
///
/// # Errors
/// If the address cannot be bound.
pub async fn serve(
    listener: TcpListener,
    routes: Routes,
    connection_age: Duration,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .timeout(Duration::from_secs(15))
        .concurrency_limit_per_connection(CONCURRENCY)
        // Without a grace: in tonic 0.14 a connection that has one is cut off after it, without GOAWAY.
        .max_connection_age(connection_age)
        .layer(DoorLayer)
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, shutdown.cancelled_owned())
        .await?;
    Ok(())
}

/// Binds an address.
///
/// # Errors
/// If it is taken.
pub async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    use anyhow::Context;
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// What every call passes: its trace context is taken up, one that changes something runs in a task of its own, so that
/// a caller who hangs up does not drop it between two awaits, a panic becomes INTERNAL, and its duration is counted.
#[derive(Clone, Copy)]
struct DoorLayer;

impl<S> Layer<S> for DoorLayer {
    type Service = Door<S>;
    fn layer(&self, inner: S) -> Door<S> {
        Door { inner }
    }
}

#[derive(Clone)]
struct Door<S> {
    inner: S,
}

impl<S> Service<HttpRequest<Body>> for Door<S>
where
    S: Service<HttpRequest<Body>, Response = HttpResponse<Body>> + Send + Clone + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HttpRequest<Body>) -> Self::Future {
        let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let span = tracing::info_span!("grpc.call", otel.name = %format!("grpc.{method}"), rpc.method = %method);
        telemetry::continue_trace(&span, &HttpHeaders(request.headers()));
        let begun = Instant::now();
        // The service that was polled ready must be the one that is called.
        let mut ready = self.inner.clone();
        std::mem::swap(&mut ready, &mut self.inner);
        let work = async move { ready.call(request).await }.instrument(span);
        Box::pin(async move {
            let done = if only_reads(&method) {
                AssertUnwindSafe(work).catch_unwind().await.ok()
            } else {
                tokio::spawn(work).await.ok()
            };
            let result = done.unwrap_or_else(|| {
                tracing::error!(method, "handler panicked");
                Ok(Status::internal("internal").into_http())
            });
            let code = result.as_ref().map_or("14".to_owned(), |response| {
                response.headers().get("grpc-status").and_then(|code| code.to_str().ok()).unwrap_or("0").to_owned()
            });
            metrics::histogram!("rpc_server_duration_seconds", "method" => method, "code" => code)
                .record(begun.elapsed());
            result
        })
    }
}

/// Whether a method changes nothing that a caller who hangs up could leave half done, as its name says.
fn only_reads(method: &str) -> bool {
    ["Get", "List", "Resolve"].iter().any(|verb| method.starts_with(verb))
}

/// The id of the request as the gateway named it.
#[must_use]
pub fn request_id(metadata: &MetadataMap) -> &str {
    metadata.get(REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// A response that says whether it was given before.
pub fn answer<T>(answer: Answer<T>) -> Response<T> {
    let mut response = Response::new(answer.result);
    if let Some(value) = answer.replayed.and_then(|id| id.parse().ok()) {
        response.metadata_mut().insert(REPLAYED, value);
    }
    response
}

/// A status that says that the refusal was given before.
#[must_use]
pub fn replayed_status(replayed: &crate::idempotency::Replayed) -> Status {
    let mut status = crate::error::refusal_to_status(&replayed.refusal);
    if let Ok(value) = replayed.request_id.parse() {
        status.metadata_mut().insert(REPLAYED, value);
    }
    status
}
