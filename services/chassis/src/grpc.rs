//! gRPC: the server that every service runs, and the channels and requests by which it calls others.

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
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Response, Status};
use tower::{Layer, Service};
use tracing::Instrument;

use crate::caller::Credential;
use crate::error::Refusal;
use crate::idempotency::Answer;
use crate::telemetry::{self, HttpHeaders};

/// How long a call between services may take unless the caller says less.
pub const DEADLINE: Duration = Duration::from_secs(5);
/// Calls at work at once in one process; further ones wait shortly and are then refused by their deadline.
const CONCURRENCY: usize = 512;
/// After so long a caller is asked to connect anew, by which new replicas come to their share of the calls.
const CONNECTION_AGE: Duration = Duration::from_mins(5);
/// How long the calls of such a connection may still take.
const CONNECTION_GRACE: Duration = Duration::from_secs(20);
/// Metadata: the id of the request as the gateway named it.
pub const REQUEST_ID: &str = "x-request-id";
/// Metadata of an answer that was given before, with the id of the first request.
pub const REPLAYED: &str = "idempotency-replayed";

/// Serves the routes until shutdown, then drains.
///
/// # Errors
/// If the address cannot be bound.
pub async fn serve(listener: TcpListener, routes: Routes, shutdown: CancellationToken) -> anyhow::Result<()> {
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .timeout(Duration::from_secs(15))
        .concurrency_limit_per_connection(CONCURRENCY)
        .max_connection_age(CONNECTION_AGE)
        .max_connection_age_grace(CONNECTION_GRACE)
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

/// A channel to a service, connected on first need and again after every loss.
///
/// # Errors
/// If the url is none.
pub fn channel(url: &str) -> anyhow::Result<Channel> {
    Ok(Endpoint::from_shared(url.to_owned())?
        .connect_timeout(Duration::from_millis(500))
        .timeout(Duration::from_secs(15))
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .connect_lazy())
}

/// What a call to another service carries besides its message.
#[derive(Debug, Clone)]
pub struct Outgoing {
    authorization: Option<MetadataValue<Ascii>>,
    request_id: Option<MetadataValue<Ascii>>,
    deadline: Duration,
}

impl Outgoing {
    /// Without authority.
    #[must_use]
    pub fn anonymous() -> Self {
        Self { authorization: None, request_id: None, deadline: DEADLINE }
    }

    /// With a member's token, passed on. A token that cannot be sent as metadata is none.
    #[must_use]
    pub fn bearer(token: &str) -> Self {
        Self { authorization: secret(&format!("Bearer {token}")), ..Self::anonymous() }
    }

    /// With this service's own credential.
    ///
    /// # Errors
    /// If it cannot be signed.
    pub fn service(credential: &Credential) -> Result<Self, Refusal> {
        Ok(Self::bearer(&credential.token()?))
    }

    /// Names the request it belongs to.
    #[must_use]
    pub fn request_id(mut self, id: &str) -> Self {
        self.request_id = secret(id);
        self
    }

    /// Allows another time than [`DEADLINE`].
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// A request with all of it, the current trace context and the deadline included.
    #[must_use]
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.deadline);
        let metadata = request.metadata_mut();
        if let Some(value) = &self.authorization {
            metadata.insert("authorization", value.clone());
        }
        if let Some(value) = &self.request_id {
            metadata.insert(REQUEST_ID, value.clone());
        }
        telemetry::inject(metadata);
        request
    }

    /// A message that may be sent again: see [`read`].
    #[must_use]
    pub fn idempotent<T>(self, message: T) -> Repeatable<T> {
        Repeatable { outgoing: self, message }
    }
}

/// Metadata that is another in every call: so marked it is not shown, and does not drive the rest from the connection's
/// table of headers.
fn secret(text: &str) -> Option<MetadataValue<Ascii>> {
    let mut value: MetadataValue<Ascii> = text.parse().ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A request that has no effect, or one effect however often it is sent.
#[derive(Debug, Clone)]
pub struct Repeatable<T> {
    outgoing: Outgoing,
    message: T,
}

/// Sends a repeatable request, again at most twice while the service is UNAVAILABLE.
///
/// # Errors
/// The last status.
pub async fn read<C, T: Clone, R, F>(
    client: impl Fn() -> C,
    request: Repeatable<T>,
    call: impl Fn(C, Request<T>) -> F,
) -> Result<Response<R>, Status>
where
    F: Future<Output = Result<Response<R>, Status>>,
{
    let mut tries = 0;
    loop {
        let result = call(client(), request.outgoing.request(request.message.clone())).await;
        match result {
            // Ours carry details: the service answered, and meant it.
            Err(status) if status.code() == Code::Unavailable && status.details().is_empty() && tries < 2 => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(rand::random_range(20..100) * tries)).await;
            }
            other => return other,
        }
    }
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
