//! The gRPC server that every service runs.

use std::io;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::{FutureExt, Stream, StreamExt};
use http::{Request as HttpRequest, Response as HttpResponse};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tower::{Layer, Service};
use tracing::Instrument;

use super::metadata::REQUEST_ID;
use super::tls::{Certificates, HANDSHAKE};
use crate::telemetry::{self, HttpHeaders};

/// Calls at work at once in one process; further ones wait shortly and are then refused by their deadline.
const CONCURRENCY: usize = 512;
/// Handshakes at once; further connections wait for them.
const HANDSHAKES: usize = 256;

/// Serves the routes until shutdown, then drains: it stops accepting, sends GOAWAY on every connection, and answers the
/// calls in flight. A connection of this age is drained in the same way.
///
/// # Errors
/// If the server cannot go on.
pub async fn serve(
    listener: TcpListener,
    routes: Routes,
    connection_age: Duration,
    tls: Option<Certificates>,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let router = Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .timeout(Duration::from_secs(15))
        .concurrency_limit_per_connection(CONCURRENCY)
        // Without a grace: in tonic 0.14 a connection that has one is cut off after it, without GOAWAY.
        .max_connection_age(connection_age)
        .layer(CallLayer)
        .add_routes(routes);
    match tls.filter(|certificates| certificates.server().is_some()) {
        Some(certificates) => {
            let incoming = encrypted(incoming, certificates);
            router.serve_with_incoming_shutdown(incoming, shutdown.cancelled_owned()).await?;
        }
        None => router.serve_with_incoming_shutdown(incoming, shutdown.cancelled_owned()).await?,
    }
    Ok(())
}

/// Connections after their handshake, each with the certificate that is in force when it begins. One that fails is dropped.
fn encrypted(
    incoming: TcpIncoming,
    certificates: Certificates,
) -> impl Stream<Item = io::Result<TlsStream<TcpStream>>> + Send {
    let shaken = incoming.map(move |accepted| {
        let config = certificates.server();
        async move {
            let (stream, config) = match (accepted, config) {
                (Ok(stream), Some(config)) => (stream, config),
                (Err(error), _) => return Some(Err(error)),
                (_, None) => return None,
            };
            let shaking = TlsAcceptor::from(config).accept(stream);
            let shaken = tokio::time::timeout(HANDSHAKE, shaking).await.unwrap_or_else(|late| Err(late.into()));
            shaken.inspect_err(|error| tracing::debug!(%error, "no handshake")).ok().map(Ok)
        }
    });
    shaken.buffer_unordered(HANDSHAKES).filter_map(futures::future::ready)
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
struct CallLayer;

impl<S> Layer<S> for CallLayer {
    type Service = CallService<S>;
    fn layer(&self, inner: S) -> CallService<S> {
        CallService { inner }
    }
}

#[derive(Clone)]
struct CallService<S> {
    inner: S,
}

impl<S> Service<HttpRequest<Body>> for CallService<S>
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
        let id = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let span = tracing::info_span!("grpc.call", otel.name = %format!("grpc.{method}"), rpc.method = %method, request_id = id);
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
