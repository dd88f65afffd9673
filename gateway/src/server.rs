//! The HTTP server. It limits the connections of one client, the size of a request's head, and how slowly a client may
//! send and receive. On shutdown it drains.

mod connection;

mod framing;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request};
use axum::middleware::map_response;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use self::connection::Connection;
use self::framing::HEAD;
use crate::config::Config;
use crate::middleware::rate::{block, subscriber};
use crate::middleware::shares::{Share, Shares};

/// How long a client may take to send its headers; `axum::serve` would wait for ever.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// Connections at once.
const CONNECTIONS: usize = 4_096;
/// How long running requests may take after the shutdown began.
const DRAIN: Duration = Duration::from_secs(8);

/// Connections of one client, and what is said to one that cannot be understood.
pub struct Limits {
    config: Arc<Config>,
    places: Option<Places>,
}

/// The connections of address blocks and addresses.
struct Places {
    by_block: Arc<Shares<IpAddr>>,
    by_address: Arc<Shares<IpAddr>>,
}

/// A connection of a block and an address.
type Place = [Share<IpAddr>; 2];

impl Limits {
    /// The limits that the settings name.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let each = u64::from(config.connections_per_address);
        Self { config: Arc::new(config.clone()), places: (each > 0).then(|| Places::new(each)) }
    }

    /// A share of the connections, `None` if the client or its block has too many.
    fn take(&self, peer: SocketAddr) -> Option<Option<Place>> {
        let Some(places) = &self.places else { return Some(None) };
        let ip = peer.ip().to_canonical();
        let is_proxy = self.config.trusted_proxies.iter().any(|net| net.contains(&ip));
        places.take((!is_proxy).then_some(ip)).map(Some)
    }
}

impl Places {
    fn new(each: u64) -> Self {
        let all = CONNECTIONS as u64;
        Self { by_block: Shares::new(all, all), by_address: Shares::new(all, each) }
    }

    fn take(&self, client: Option<IpAddr>) -> Option<Place> {
        let of_block = self.by_block.take(client.map(block), 1)?;
        Some([of_block, self.by_address.take(client.map(subscriber), 1)?])
    }
}

/// Asks clients to use another connection, and so another process, once this process is leaving. A connection that is
/// closed between requests may be closed while the next one is on its way, which its client cannot tell from a loss.
pub fn closing_once(leaving: CancellationToken, router: Router) -> Router {
    router.layer(map_response(move |mut response: Response| {
        if leaving.is_cancelled() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        std::future::ready(response)
    }))
}

/// Serves until shutdown, then drains. A failed accept is logged.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    // HTTP/1.1 alone, which proxies speak to what is behind them: telling the versions apart has no limit in time.
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(HEAD);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer, place) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &places) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(share) = limits.take(peer) else {
            metrics::counter!("http_connections_refused_total").increment(1);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let service = service_fn(move |request: Request<Incoming>| answer(router.clone(), peer, request));
        let connection =
            builder.serve_connection(TokioIo::new(Connection::new(stream, Arc::clone(&limits.config))), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
            }
            drop((place, share));
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(DRAIN, graceful.shutdown()).await;
    Ok(())
}

/// The next connection. While all places are taken, clients wait in the kernel's queue.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

async fn answer(router: Router, peer: SocketAddr, request: Request<Incoming>) -> Result<Response, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    router.oneshot(request).await
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv6Addr};

    use super::{CONNECTIONS, Places};

    /// [D-V1] However many networks of an address block connect, other blocks find connections.
    #[test]
    fn connections_are_shared_by_address_block() {
        let places = Places::new(64);
        let network = |block, network| Some(IpAddr::from(Ipv6Addr::new(0x2001, 0xdb8, block, network, 0, 0, 0, 1)));
        let mut held: Vec<_> = (0..4_096).filter_map(|one| places.take(network(1, one))).collect();
        assert_eq!(held.len(), CONNECTIONS / 2);
        held.extend((0..4_096).filter_map(|one| places.take(network(2, one))));
        assert!(held.len() <= CONNECTIONS * 3 / 4, "{} of {CONNECTIONS}", held.len());
        let visitor = Some([203, 0, 113, 1].into());
        held.extend((0..64).map(|_| places.take(visitor).expect("a place")));
        assert!(places.take(visitor).is_none(), "more than 64 of one address");
    }
}
