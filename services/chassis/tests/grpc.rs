//! Calls between services while connections age and services restart, over real sockets.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chassis::config::Tls;
use chassis::grpc::{self, CONNECTION_AGE, Channel, Outgoing, call_with_retry};
use futures::stream::{self, BoxStream};
use std::time::Instant;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// Counts how often each call is carried out.
#[derive(Clone, Default)]
struct Counter(Arc<Mutex<HashMap<String, u32>>>);

#[tonic::async_trait]
impl Health for Counter {
    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        *self.0.lock().unwrap().entry(request.into_inner().service).or_default() += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(Response::new(HealthCheckResponse::default()))
    }

    async fn watch(&self, _: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        Ok(Response::new(Box::pin(stream::empty())))
    }
}

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<anyhow::Result<()>>,
}

async fn serve(counter: &Counter, address: SocketAddr, age: Duration) -> Server {
    let listener = grpc::bind(address).await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let routes = Routes::new(HealthServer::new(counter.clone()));
    Server { address, served: tokio::spawn(grpc::serve(listener, routes, age, None, stop.clone())), stop }
}

fn any_port() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

async fn check(client: &HealthClient<Channel>, name: String) -> Result<(), Status> {
    let call = Outgoing::anonymous().once(HealthCheckRequest { service: name });
    let send = |mut client: HealthClient<Channel>, request| async move { client.check(request).await };
    call_with_retry(|| client.clone(), call, send).await.map(|_| ())
}

/// Calls that may take effect only once, from eight clients of one connection, until stopped. Returns how many.
async fn steady_load(channel: Channel, stop: CancellationToken) -> usize {
    let mut clients = JoinSet::new();
    for number in 0..8 {
        let (client, stop) = (HealthClient::new(channel.clone()), stop.clone());
        clients.spawn(async move {
            let mut calls = 0;
            while !stop.is_cancelled() {
                check(&client, format!("{number}.{calls}")).await.unwrap();
                calls += 1;
            }
            calls
        });
    }
    clients.join_all().await.into_iter().sum()
}

fn assert_each_once(counter: &Counter, calls: usize) {
    let counted = counter.0.lock().unwrap();
    assert_eq!(counted.len(), calls, "every call was carried out");
    assert!(counted.values().all(|times| *times == 1), "none twice");
}

/// [D-V4] Connections that reach their age are drained: no call fails, and none is carried out twice.
#[tokio::test]
async fn an_ageing_connection_costs_no_call() {
    let counter = Counter::default();
    let server = serve(&counter, any_port(), Duration::from_millis(100)).await;
    let channel =
        grpc::channel(chassis::testing::SERVICE, &format!("http://{}", server.address), &Tls::default()).unwrap();
    let stop = CancellationToken::new();
    let load = tokio::spawn(steady_load(channel, stop.clone()));
    tokio::time::sleep(Duration::from_secs(2)).await;
    stop.cancel();
    assert_each_once(&counter, load.await.unwrap());
}

/// [D-V4] [K11] A restart is waited for: no call fails, and none is carried out twice.
#[tokio::test]
async fn a_restart_costs_no_call() {
    let counter = Counter::default();
    let mut server = serve(&counter, any_port(), CONNECTION_AGE).await;
    let channel =
        grpc::channel(chassis::testing::SERVICE, &format!("http://{}", server.address), &Tls::default()).unwrap();
    let stop = CancellationToken::new();
    let load = tokio::spawn(steady_load(channel, stop.clone()));
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        server.stop.cancel();
        server.served.await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        server = serve(&counter, server.address, CONNECTION_AGE).await;
    }
    stop.cancel();
    assert_each_once(&counter, load.await.unwrap());
}

/// [K10] Calls wait as long as a restart takes; a service that stays away fails them at once.
#[tokio::test]
async fn a_service_that_stays_away_fails_calls_at_once() {
    let address = grpc::bind(any_port()).await.unwrap().local_addr().unwrap();
    let client = HealthClient::new(
        grpc::channel(chassis::testing::SERVICE, &format!("http://{address}"), &Tls::default()).unwrap(),
    );
    let begun = Instant::now();
    let status = check(&client, String::new()).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unavailable, "{status}");
    assert!(begun.elapsed() > Duration::from_secs(3), "{:?}", begun.elapsed());
    let begun = Instant::now();
    check(&client, String::new()).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_millis(100), "{:?}", begun.elapsed());
}
