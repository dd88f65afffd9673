//! Clients that speak slowly, over real connections.

use std::time::Duration;

use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::fixture::Fixture;

/// [D-R15] Half-sent headers are cut within 15 seconds, and a shutdown ends the server.
#[tokio::test]
async fn half_sent_headers_are_cut() {
    let fixture = Fixture::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let server = tokio::spawn(gateway::server::serve(listener, fixture.router.clone(), shutdown.clone()));
    // Nothing, the beginning of another protocol, and a request that does not go on.
    let half_sent =
        ["", "P", "PRI * HTTP/2.0\r\n\r\nSM", "GET /healthz HTTP/1.1\r\nhost: x\r\n"].map(|text| async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(text.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            // However it ends: what counts is that it does.
            let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await;
            assert!(ended.is_ok(), "the connection is still open after {text:?}");
        });
    join_all(half_sent).await;
    shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(10), server).await.unwrap().unwrap().unwrap();
}
