//! Clients that speak slowly, too much, or never end, over real connections.

use std::net::SocketAddr;
use std::time::Duration;

use futures::future::join_all;
use gateway::server::Limits;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Fixture, PNG};

/// Serves a fixture on a port of its own until the test ends.
async fn serve(fixture: &Fixture) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = Limits::of(&fixture.config);
    tokio::spawn(gateway::server::serve(listener, fixture.router.clone(), limits, CancellationToken::new()));
    address
}

async fn begin(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// What a server says until it ends the connection.
async fn rest(mut stream: TcpStream) -> String {
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(25), stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the connection is still open");
    String::from_utf8_lossy(&rest).into_owned()
}

fn status(response: &str) -> u16 {
    response.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default()
}

fn json(response: &str) -> Value {
    serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap_or_else(|_| panic!("no JSON: {response}"))
}

fn post(path: &str, token: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// [D-G2] [D-R15] A body that comes too slowly is answered by 408, and what it asked for is never done, also when the rest
/// comes afterwards.
#[tokio::test]
async fn a_late_body_is_refused_and_never_carried_out() {
    let fixture = Fixture::new().await;
    let address = serve(&fixture).await;
    let (_, token) = fixture.realm.member();
    let deposit = format!(r#"{{"amount":100,"method":"BTC","receipt":"{PNG}"}}"#);
    let request = post("/v1/transactions/deposit", &token, &deposit);
    let (most, last) = request.split_at(request.len() - 20);
    let mut stream = begin(address, most).await;
    let mut answer = vec![0; 4_096];
    let count = tokio::time::timeout(Duration::from_secs(16), stream.read(&mut answer)).await.unwrap().unwrap();
    let answer = String::from_utf8_lossy(&answer[..count]).into_owned();
    assert_eq!(status(&answer), 408, "{answer}");
    assert_eq!(json(&answer)["code"], "REQUEST_TIMEOUT");
    assert!(answer.contains("connection: close"), "{answer}");
    let _ = stream.write_all(last.as_bytes()).await;
    drop(rest(stream).await);
    assert!(fixture.wallet.deposits.lock().unwrap().is_empty(), "a refused request was carried out");
}

/// [D-V1] Uploads that do not go on take nobody's place.
#[tokio::test]
async fn half_sent_uploads_stop_nobody() {
    let fixture = Fixture::with(&["--rate-limit=1000", "--session-rate-limit=1000"]).await;
    let address = serve(&fixture).await;
    let (_, token) = fixture.realm.member();
    let (_, other) = fixture.realm.member();
    let deposit = format!(r#"{{"amount":100,"method":"BTC","receipt":"{PNG}"}}"#);
    let request = post("/v1/transactions/deposit", &token, &deposit);
    let mut held = Vec::new();
    for _ in 0..30 {
        held.push(begin(address, &request[..request.len() - 20]).await);
    }
    let request = post("/v1/transactions/deposit", &other, &deposit).replace("host: x", "host: x\r\nconnection: close");
    let begun = std::time::Instant::now();
    let answer = rest(begin(address, &request).await).await;
    assert!(status(&answer) < 500, "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(3), "another member's upload waited");
}

/// [D-G2] [D-V1] A head over 32 KiB and an address that fills it are refused with the body that every error has.
#[tokio::test]
async fn long_heads_are_refused() {
    let fixture = Fixture::new().await;
    let address = serve(&fixture).await;
    let cookies = "cookie: a=b\r\n".repeat(90);
    for (request, code, reason) in [
        (
            format!("GET /v1/docs HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "x".repeat(40_000)),
            431,
            "HEADERS_TOO_LARGE",
        ),
        (format!("GET /v1/docs HTTP/1.1\r\nhost: x\r\n{}\r\n", cookies.repeat(20)), 431, "HEADERS_TOO_LARGE"),
        (format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(70_000)), 414, "URI_TOO_LONG"),
        ("NO HTTP AT ALL\r\n\r\n".to_owned(), 400, "MALFORMED_REQUEST"),
    ] {
        // As much as the server takes: what it leaves unread would reset the connection.
        let request = &request[..request.len().min(32 * 1024)];
        let answer = rest(begin(address, request).await).await;
        assert_eq!(status(&answer), code, "{answer}");
        let body = json(&answer);
        assert_eq!(body["code"], reason, "{body}");
        assert_eq!(body["success"], false, "{body}");
        assert!(body["requestId"].as_str().is_some_and(|id| !id.is_empty()), "{body}");
    }
}

/// [D-V1] Heads over 32 KiB are refused also when they come at once.
#[tokio::test]
async fn a_long_head_in_one_piece_is_refused() {
    let fixture = Fixture::new().await;
    let address = serve(&fixture).await;
    for kib in [33, 40, 48] {
        let request = format!("GET /v1/docs HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "x".repeat(kib << 10));
        let mut stream = begin(address, &request).await;
        let mut answer = vec![0; 4_096];
        let count = stream.read(&mut answer).await.unwrap();
        assert_eq!(status(&String::from_utf8_lossy(&answer[..count])), 431, "{kib} KiB");
    }
}

/// [D-V1] [D-G2] [ASVS 4.2.1] A request that a proxy could read otherwise is refused, with the headers that every answer has.
#[tokio::test]
async fn a_request_with_two_meanings_is_refused() {
    let fixture = Fixture::new().await;
    let address = serve(&fixture).await;
    for request in [
        "GET /v1/docs HTTP/1.1\nhost: x\r\nconnection: close\r\n\r\n",
        "GET /v1/docs HTTP/1.1\r\nhost: x\r\nconnection: close\n\r\n",
        "GET /v1/docs HTTP/1.1\r\nconnection: close\r\n\r\n",
        "GET /v1/docs HTTP/1.1\r\nhost: x\r\nhost: x\r\nconnection: close\r\n\r\n",
        "GET http://y/v1/docs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    ] {
        let answer = rest(begin(address, request).await).await;
        assert_eq!(status(&answer), 400, "{request:?}: {answer}");
        assert_eq!(json(&answer)["code"], "MALFORMED_REQUEST");
        for header in [
            "content-security-policy: ",
            "x-frame-options: DENY",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "x-request-id: ",
        ] {
            assert!(answer.contains(&format!("\r\n{header}")), "{header} is missing: {answer}");
        }
    }
    for request in
        ["GET http://x/v1/docs HTTP/1.1\r\nhost: X\r\nconnection: close\r\n\r\n", "GET /v1/docs HTTP/1.0\r\n\r\n"]
    {
        assert_eq!(status(&rest(begin(address, request).await).await), 200, "{request:?}");
    }
    // Bodies with the same bytes are not read as heads, and the second of two requests at once is refused behind the first.
    let (_, token) = fixture.realm.member();
    let two = post("/v1/transactions/withdraw", &token, "{\n\"amount\":5\n\n}") + "GET /v1/docs HTTP/1.1\n\n";
    let answers = rest(begin(address, &two).await).await;
    assert!(answers.starts_with("HTTP/1.1 409 ") && answers.contains("HTTP/1.1 400 "), "{answers}");
}

/// A refusal before the body is read says that the connection ends.
#[tokio::test]
async fn a_refusal_before_the_body_ends_the_connection() {
    let fixture = Fixture::new().await;
    let address = serve(&fixture).await;
    for request in [
        post("/v1/transactions/deposit", "no-token", &"x".repeat(10_000)),
        post("/v1/transactions/withdraw", "no-token", &"x".repeat(200_000)),
        post("/v1/plans", "", "{}").replace("POST", "BREW"),
    ] {
        let answer = rest(begin(address, &request[..request.len().min(8_000)]).await).await;
        assert!([401, 405, 413].contains(&status(&answer)), "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
}

/// [D-V1] One address has at most 64 connections.
#[tokio::test]
async fn one_address_has_a_bounded_number_of_connections() {
    let fixture = Fixture::with(&["--connections-per-address=64"]).await;
    let address = serve(&fixture).await;
    let mut held = Vec::new();
    for _ in 0..64 {
        held.push(begin(address, "GET /v1/docs HTTP/1.1\r\n").await);
    }
    // Accepted in order: when this one is closed, those before it were taken.
    assert_eq!(rest(begin(address, "GET /v1/docs HTTP/1.1\r\nhost: x\r\n\r\n").await).await, "");
    drop(held);
}

/// [D-R15] Half-sent headers are cut within 15 seconds, and a shutdown ends the server.
#[tokio::test]
async fn half_sent_headers_are_cut() {
    let fixture = Fixture::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let limits = Limits::of(&fixture.config);
    let server = tokio::spawn(gateway::server::serve(listener, fixture.router.clone(), limits, shutdown.clone()));
    // Nothing, the beginning of another protocol, and a request that does not go on.
    let half_sent =
        ["", "P", "PRI * HTTP/2.0\r\n\r\nSM", "GET /v1/docs HTTP/1.1\r\nhost: x\r\n"].map(|text| async move {
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
