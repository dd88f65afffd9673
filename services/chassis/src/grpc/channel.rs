//! Channels to other services that survive their restarts.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use http::Uri;
use http::uri::Scheme;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{self, Endpoint};
use tower::service_fn;

use super::client::Callee;
use super::tls::{Certificates, HANDSHAKE};
use crate::config::Tls;

/// How long one attempt to connect may take.
const CONNECT: Duration = Duration::from_millis(500);
/// How long calls wait for a service that cannot be reached, as while it restarts. A service that is away for longer
/// fails them at once, so that they do not pile up: less than the deadline of a call, so that they fail as unsent.
const RESTART: Duration = Duration::from_secs(4);

/// The connection to a service, for which every call is signed.
pub type Channel = InterceptedService<transport::Channel, Callee>;

/// A channel to the service with this name, connected on first need and again after every loss. Calls wait while the
/// service restarts.
///
/// # Errors
/// If the URL is malformed, or begins with `https://` and no authority is set.
pub fn channel(service: &'static str, url: &str, tls: &Tls) -> anyhow::Result<Channel> {
    let outage = Arc::new(Mutex::new(None));
    let uri: Uri = url.parse()?;
    let is_encrypted = uri.scheme() == Some(&Scheme::HTTPS);
    // The library would encrypt an https endpoint itself, with the certificates of the start.
    let mut plain = uri.clone().into_parts();
    plain.scheme = Some(Scheme::HTTP);
    let endpoint = Endpoint::from(Uri::from_parts(plain)?)
        .origin(uri)
        .timeout(Duration::from_secs(15))
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true);
    let channel = if is_encrypted {
        let certificates = Certificates::read(tls)?.with_context(|| format!("{url} needs TLS_CA_FILE"))?;
        let certificates = Arc::new(certificates);
        endpoint.connect_with_connector_lazy(service_fn(move |uri| {
            connect_encrypted(uri, Arc::clone(&outage), Arc::clone(&certificates))
        }))
    } else {
        endpoint.connect_with_connector_lazy(service_fn(move |uri| {
            let outage = Arc::clone(&outage);
            async move { connect(&uri, &outage).await.map(TokioIo::new) }
        }))
    };
    Ok(InterceptedService::new(channel, Callee(service)))
}

/// Connects, and shakes hands with the certificates that are in force now.
async fn connect_encrypted(
    uri: Uri,
    outage: Arc<Mutex<Option<Outage>>>,
    certificates: Arc<Certificates>,
) -> io::Result<TokioIo<TlsStream<TcpStream>>> {
    let stream = connect(&uri, &outage).await?;
    let name = ServerName::try_from(host(&uri).to_owned()).map_err(io::Error::other)?;
    let shaking = TlsConnector::from(certificates.client()).connect(name, stream);
    Ok(TokioIo::new(tokio::time::timeout(HANDSHAKE, shaking).await??))
}

/// The host of a URL, an IPv6 address without its brackets.
fn host(uri: &Uri) -> &str {
    uri.host().unwrap_or_default().trim_matches(['[', ']'])
}

/// The time in which no attempt to connect succeeded.
#[derive(Debug, Clone, Copy)]
struct Outage {
    since: Instant,
    last_attempt: Instant,
}

/// Tries to connect until it succeeds or the outage has lasted for [`RESTART`].
async fn connect(uri: &Uri, outage: &Mutex<Option<Outage>>) -> io::Result<TcpStream> {
    loop {
        match attempt(uri).await {
            Ok(stream) => {
                if let Some(over) = outage.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    tracing::info!(%uri, away_ms = over.since.elapsed().as_millis(), "service is reachable again");
                }
                return Ok(stream);
            }
            Err(error) => {
                if note_failure(outage, uri, &error).elapsed() > RESTART {
                    return Err(error);
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(10..50))).await;
    }
}

async fn attempt(uri: &Uri) -> io::Result<TcpStream> {
    let connecting = TcpStream::connect((host(uri), uri.port_u16().unwrap_or(80)));
    let stream = tokio::time::timeout(CONNECT, connecting).await.map_err(|_| io::ErrorKind::TimedOut)??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// When the outage began that this failure belongs to. After a pause without calls it is another outage.
fn note_failure(outage: &Mutex<Option<Outage>>, uri: &Uri, error: &io::Error) -> Instant {
    let now = Instant::now();
    let mut outage = outage.lock().unwrap_or_else(PoisonError::into_inner);
    let known = outage.filter(|known| now.duration_since(known.last_attempt) <= RESTART);
    if known.is_none() {
        tracing::info!(%uri, %error, "service is unreachable, calls wait for it");
    }
    let since = known.map_or(now, |known| known.since);
    *outage = Some(Outage { since, last_attempt: now });
    since
}
