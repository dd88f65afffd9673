//! The middleware chain, in order:
//!
//! 1. connection ([`server`](crate::server)): at most 64 from one client address and a fair share for its block, a head of
//!    at most 32 KiB that can be read in one way only, a write timeout;
//! 2. method and host: an unknown method, or two hosts, are refused before anything is counted or measured;
//! 3. client address: requests per second, session requests per minute, and the pace of downloads ([`rate`]);
//! 4. route class: declared where the route is registered ([`class`]);
//! 5. identity: the account that the bearer token names, by its signature alone;
//! 6. body: received completely, in memory or in a temporary file ([`body`]);
//! 7. admission: a fair share of the work for the address block and the account ([`admission`]);
//! 8. deadline: the handler's time; a mutation runs in a task of its own.
//!
//! All of it is one axum layer: each further layer would copy everything below it for every request.

pub mod admission;

pub mod body;

pub mod class;

pub mod headers;

pub mod rate;

pub mod shares;

mod trace;

use chassis::id::UserId;
use std::any::Any;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http_body_util::{BodyStream, StreamBody};
use hyper::body::Frame;
use tokio::time::timeout;
use tracing::Instrument;
use uuid::Uuid;

use self::class::{Class, Classes};
use self::rate::Rates;
use crate::app::App;
use crate::extract::{bearer, client_address};
use crate::http::compression;
use crate::http::error::{self, ApiError};
use crate::http::refusal_page::Reader;
use crate::storage::files::format::too_large;

/// How long a handler may take once the body is there.
const DEADLINE: Duration = Duration::from_secs(6);
/// How long a handler may take that checks and stores a file.
const UPLOAD_DEADLINE: Duration = Duration::from_secs(15);

/// The state of the middleware.
#[derive(Clone)]
pub struct Chain {
    pub app: App,
    pub classes: Arc<Classes>,
}

/// Runs a request through all the steps.
pub async fn pass(State(chain): State<Chain>, mut request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/v1");
    let reader = Reader::of(&request);
    let takes_gzip = is_api && compression::accepts(request.headers(), "gzip");
    // A body that nobody reads ends the connection: the client must know, or its next request is lost.
    let has_body = !request.body().is_end_stream();
    let fault = if is_known(request.method()) {
        (!names_one_host(&request)).then_some(StatusCode::BAD_REQUEST)
    } else {
        Some(StatusCode::METHOD_NOT_ALLOWED)
    };
    if let Some(status) = fault {
        let (id, refusal) = (Uuid::now_v7().to_string(), ApiError::of_status(status).into_response());
        let mut response = error::render(&id, reader, refusal);
        finish(&chain.app, is_api, has_body, &mut response);
        trace::name(&mut response, id);
        return response;
    }
    let seen = trace::Seen::begin(&mut request);
    let work = AssertUnwindSafe(carry_out(&chain, request, next)).catch_unwind().instrument(seen.span.clone());
    let (response, was_read) = work.await.unwrap_or_else(|cause| (panicked(&*cause), false));
    let mut response = seen.span.in_scope(|| error::render(&seen.id, reader, response));
    if takes_gzip {
        response = compression::compress(response).await;
    }
    finish(&chain.app, is_api, has_body && !was_read, &mut response);
    seen.end(&mut response);
    response
}

/// Methods that a route or a browser may use; other methods are not used as labels of metrics.
fn is_known(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS]
        .contains(method)
}

/// Whether an address that names a host names the one of the Host header, by which a proxy may have chosen this server.
fn names_one_host(request: &Request) -> bool {
    let Some(named) = request.uri().authority() else { return true };
    let host = request.headers().get(header::HOST).map(HeaderValue::as_bytes);
    host.is_some_and(|host| host.eq_ignore_ascii_case(named.as_str().as_bytes()))
}

fn finish(app: &App, is_api: bool, is_body_left: bool, response: &mut Response) {
    let is_refusal = response.status().is_client_error() || response.status().is_server_error();
    headers::add(&app.config, !is_api && !is_refusal, response.headers_mut());
    if is_body_left {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
}

fn panicked(cause: &(dyn Any + Send)) -> Response {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    ApiError::internal(text.unwrap_or("panic")).into_response()
}

/// Steps 3 to 8. Also returns whether the request's body was read to its end.
async fn carry_out(chain: &Chain, request: Request, next: Next) -> (Response, bool) {
    let (parts, body) = request.into_parts();
    let app = &chain.app;
    let ip = client_address(&parts, &app.config.trusted_proxies);
    warn_of_proxy(&parts, ip);
    let class = class_of(chain, &parts);
    if class.reads_nothing() {
        let admitted = admit(app, &parts, class, ip).await;
        let request = Request::from_parts(parts, body);
        return match admitted {
            Err(refusal) => (refusal.into_response(), false),
            Ok(_) if class == Class::Stream => (next.run(request).await, false),
            Ok(place) if class == Class::Download => {
                let response = in_time(DEADLINE, next.run(request)).await;
                (response.map(|body| until_received(body, place, Arc::clone(&app.rates), ip)), false)
            }
            Ok(_place) => (in_time(DEADLINE, next.run(request)).await, false),
        };
    }
    if class == Class::LongUpload {
        return pass_on(app, Request::from_parts(parts, body), ip, next).await;
    }
    match receive(app, &parts, body, class, ip).await {
        Err(refusal) => (refusal.into_response(), false),
        Ok(received) => (mutate(app, parts, received, class, ip, next).await, true),
    }
}

/// Behind a proxy that is not trusted, all clients count as one.
fn warn_of_proxy(parts: &Parts, ip: Option<IpAddr>) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
    if parts.headers.contains_key("x-forwarded-for") && ip == peer && !WARNED.swap(true, Ordering::Relaxed) {
        let peer = peer.map(|ip| ip.to_string()).unwrap_or_default();
        tracing::warn!(
            peer,
            "X-Forwarded-For of a proxy outside TRUSTED_PROXIES is ignored: its clients share one limit"
        );
    }
}

fn class_of(chain: &Chain, parts: &Parts) -> Class {
    let route = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str);
    chain.classes.of(&parts.method, route)
}

/// Rate limits, and the place of a request that needs no body.
async fn admit(
    app: &App,
    parts: &Parts,
    class: Class,
    ip: Option<IpAddr>,
) -> Result<Option<admission::Place>, ApiError> {
    app.rates.check(&parts.uri, class, ip)?;
    if class == Class::Stream {
        return Ok(None);
    }
    app.admission.enter(class, ip, account(app, parts), 0).await.map(Some)
}

/// Rate limits, identity and body. An upload by a stranger is refused before its body is read.
async fn receive(
    app: &App,
    parts: &Parts,
    body: Body,
    class: Class,
    ip: Option<IpAddr>,
) -> Result<body::Received, ApiError> {
    app.rates.check(&parts.uri, class, ip)?;
    if class == Class::Upload && account(app, parts).is_none() {
        return Err(chassis::identity::unauthenticated().into());
    }
    let received = app.spool.receive(body, &parts.headers, class.body_limit(), ip).await;
    received.map_err(|error| match (class, error.status()) {
        (Class::Upload, StatusCode::PAYLOAD_TOO_LARGE) => too_large(),
        _ => error,
    })
}

/// A request whose handler receives the body itself, piece by piece and with limits of its own, for as long as that takes.
async fn pass_on(app: &App, request: Request, ip: Option<IpAddr>, next: Next) -> (Response, bool) {
    let (parts, body) = request.into_parts();
    let admitted = match account(app, &parts) {
        None => Err(chassis::identity::unauthenticated().into()),
        Some(_) => admit(app, &parts, Class::LongUpload, ip).await,
    };
    let place = match admitted {
        Ok(place) => place,
        Err(refusal) => return (refusal.into_response(), false),
    };
    let work = async move {
        let _place = place;
        next.run(Request::from_parts(parts, body)).await
    };
    // What has arrived is kept, also when its client hangs up.
    let work = tokio::spawn(work.in_current_span()).await;
    let response = work.unwrap_or_else(|error| ApiError::internal(error).into_response());
    let was_read = response.status().is_success();
    (response, was_read)
}

/// Admission and deadline of a request whose body is there.
async fn mutate(
    app: &App,
    parts: Parts,
    received: body::Received,
    class: Class,
    ip: Option<IpAddr>,
    next: Next,
) -> Response {
    let place = match app.admission.enter(class, ip, account(app, &parts), received.bytes()).await {
        Ok(place) => place,
        Err(refusal) => return refusal.into_response(),
    };
    let work = async move {
        // Held until the work is done, even when its client was answered long ago.
        let _place = place;
        match received.into_body().await {
            Ok(body) => next.run(Request::from_parts(parts, body)).await,
            Err(error) => error.into_response(),
        }
    };
    // A task of its own, so that a client who hangs up does not drop it between two awaits.
    let work = tokio::spawn(work.in_current_span());
    let deadline = if class == Class::Upload { UPLOAD_DEADLINE } else { DEADLINE };
    in_time(deadline, async { work.await.unwrap_or_else(|error| ApiError::internal(error).into_response()) }).await
}

/// The body at the pace of its client's block, with the place of its request until the client has received it or is gone.
fn until_received(body: Body, place: Option<admission::Place>, rates: Arc<Rates>, ip: Option<IpAddr>) -> Body {
    let frames = BodyStream::new(body).then(move |frame| {
        let _ = &place;
        let rates = Arc::clone(&rates);
        async move {
            let bytes = frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len);
            rates.download(ip, bytes).await;
            frame
        }
    });
    Body::new(StreamBody::new(frames))
}

async fn in_time(deadline: Duration, work: impl Future<Output = Response>) -> Response {
    timeout(deadline, work).await.unwrap_or_else(|_| {
        let error = ApiError::of_status(StatusCode::GATEWAY_TIMEOUT);
        error.because("the deadline of the request passed").into_response()
    })
}

/// The account that the bearer token names. Its session may have ended: this only says whose share the work counts to.
fn account(app: &App, parts: &Parts) -> Option<UserId> {
    app.verifier.named(bearer(&parts.headers)?).map(|named| named.user_id)
}
