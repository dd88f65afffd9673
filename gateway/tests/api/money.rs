//! Deposits through the gateway: exact amounts, checked files, keys bound to bodies, and how transactions are shown.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::json;

use crate::fixture::{Fixture, PNG, Reply};

async fn deposit(fixture: &Fixture, token: &str, key: Option<&str>, body: &str) -> Reply {
    let mut request = Request::post("/v1/transactions/deposit")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    fixture.send(request.body(Body::from(body.to_owned())).unwrap()).await
}

/// [API-08] [D-G1] The amount reaches wallet exactly, as a number or as text, and unknown fields change nothing.
#[tokio::test]
async fn a_deposit_reaches_wallet_exactly() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    for (amount, cents) in [("100", 10_000), ("100.1", 10_010), ("\"99999.99\"", 9_999_999)] {
        let body = format!(
            r#"{{"amount":{amount},"method":"BTC","receipt":"{PNG}","role":"admin","balance":1000000,"isVerified":true}}"#
        );
        let reply = deposit(&fixture, &token, None, &body).await;
        assert_eq!(reply.status, StatusCode::CREATED, "{reply:?}");
        assert_eq!(reply.json()["success"], true);
        let deposits = fixture.wallet.deposits.lock().unwrap();
        let message = deposits.last().unwrap();
        assert_eq!(message.amount_cents, cents);
        assert_eq!(message.r#type, "deposit");
        assert!(message.receipt.as_ref().unwrap().key.starts_with("receipts/"));
        assert_eq!(message.receipt.as_ref().unwrap().digest.len(), 32);
    }
}

/// [D-G1] A number of any size is a matter of its field: 422, never "not valid JSON".
#[tokio::test]
async fn numbers_of_any_size_are_refused_at_their_field() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    for amount in ["1e400", "-1e400", &"9".repeat(4_001)] {
        let bodies = [
            ("/v1/transactions/deposit", format!(r#"{{"amount":{amount},"method":"BTC","receipt":"{PNG}"}}"#)),
            ("/v1/transactions/withdraw", format!(r#"{{"amount":{amount},"method":"BTC"}}"#)),
            ("/v1/transactions/fee/x", format!(r#"{{"amount":{amount},"method":"BTC","receipt":"{PNG}"}}"#)),
            ("/v1/trades/create", format!(r#"{{"amount":{amount},"planId":"x"}}"#)),
        ];
        for (path, body) in bodies {
            let reply = fixture.call(Method::POST, path, Some(&token), &body).await;
            assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {reply:?}");
            assert!(reply.json()["errors"]["amount"].is_string(), "{path} {reply:?}");
        }
    }
}

/// [D-D2] [D-D3] [A9] A type that was sent is not replaced by the default, and the version shown reaches wallet.
#[tokio::test]
async fn type_and_version_reach_wallet_as_sent() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    for (extra, kind, version) in [
        ("", "deposit", 0),
        (r#","type":"""#, "", 0),
        (r#","type":null,"methodVersion":null"#, "deposit", 0),
        (r#","type":"course","methodVersion":3"#, "course", 3),
    ] {
        let body = format!(r#"{{"amount":100,"method":"BTC","receipt":"{PNG}"{extra}}}"#);
        deposit(&fixture, &token, None, &body).await;
        let asked = fixture.wallet.deposits.lock().unwrap().pop().unwrap();
        assert_eq!((asked.r#type.as_str(), asked.method_version), (kind, version));
    }
    for version in ["1e400", "\"1\"", "1.5", "true"] {
        let body = format!(r#"{{"amount":100,"method":"BTC","receipt":"{PNG}","methodVersion":{version}}}"#);
        let reply = deposit(&fixture, &token, None, &body).await;
        assert!(reply.json()["errors"]["methodVersion"].is_string(), "{reply:?}");
    }
}

/// A status of trades that there is not is refused, not taken for another.
#[tokio::test]
async fn an_unknown_status_of_trades_is_refused() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let reply = fixture.call(Method::GET, "/v1/trades?status=x", Some(&token), "").await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(reply.json()["errors"]["status"].is_string());
}

/// [D-D3] `currency` is an alias of `method`.
#[tokio::test]
async fn currency_names_the_method_too() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let body = json!({"amount": 100, "currency": "BTC", "receipt": PNG, "type": "course"}).to_string();
    assert_eq!(deposit(&fixture, &token, None, &body).await.status, StatusCode::CREATED);
    let deposits = fixture.wallet.deposits.lock().unwrap();
    assert_eq!((deposits[0].method.as_str(), deposits[0].r#type.as_str()), ("BTC", "course"));
}

/// [D-G4] [D-R10] The key is bound to the body, a replay is marked, an empty key is refused.
#[tokio::test]
async fn keys_are_bound_to_bodies() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let body = json!({"amount": 100, "method": "BTC", "receipt": PNG}).to_string();
    let first = deposit(&fixture, &token, Some("k"), &body).await;
    assert!(!first.headers.contains_key("idempotency-replayed"));
    let second = deposit(&fixture, &token, Some("k"), &body).await;
    assert_eq!(second.headers["idempotency-replayed"], "true");
    deposit(&fixture, &token, Some("k"), &json!({"amount": 101, "method": "BTC", "receipt": PNG}).to_string()).await;
    let deposits = fixture.wallet.deposits.lock().unwrap().clone();
    let prints: Vec<_> = deposits.iter().map(|one| one.idempotency.clone().unwrap().fingerprint).collect();
    assert_eq!(prints[0], prints[1]);
    assert_ne!(prints[0], prints[2]);
    let long = "k".repeat(256);
    for key in ["", long.as_str()] {
        assert_eq!(deposit(&fixture, &token, Some(key), &body).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}

/// [D-P2] [DEP-07] A proof that is no proof changes nothing.
#[tokio::test]
async fn a_proof_that_is_none_is_refused() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    for (receipt, status) in [
        ("", StatusCode::UNPROCESSABLE_ENTITY),
        ("data:text/html;base64,PHNjcmlwdD4=", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("data:image/png;base64,PHNjcmlwdD4=", StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        let body = json!({"amount": 100, "method": "BTC", "receipt": receipt}).to_string();
        assert_eq!(deposit(&fixture, &token, None, &body).await.status, status, "{receipt}");
    }
    assert!(fixture.wallet.deposits.lock().unwrap().is_empty());
}

/// [API-11] [API-24] [TXN-05] [D-L6] A transaction is shown with reference, exact amount, owner and a link to its proof.
#[tokio::test]
async fn transactions_are_told_in_full() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let reply = fixture.call(Method::GET, "/v1/transactions/user", Some(&token), "").await;
    assert!(reply.text.contains(r#""amount":123.45"#), "{}", reply.text);
    let row = &reply.json()["transactions"][0];
    assert_eq!(row["reference"], "TNX-1a2b3c");
    let link = row["receipt"]["url"].as_str().unwrap();
    assert!(link.starts_with("/v1/files/receipts/0.png?owner="), "{link}");
    assert_eq!(
        fixture.call(Method::GET, &link.replace("owner=0", "owner=1"), None, "").await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(fixture.call(Method::GET, "/v1/files/receipts/0.png", None, "").await.status, StatusCode::NOT_FOUND);
}

/// [D-L2] A page has as many lines as were asked for, of 500 at most.
#[tokio::test]
async fn a_page_of_the_history_is_as_long_as_wanted() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let page = |size: &'static str| {
        let (fixture, token) = (&fixture, &token);
        async move { fixture.call(Method::GET, &format!("/v1/transactions/user?size={size}"), Some(token), "").await }
    };
    assert_eq!(page("3").await.json()["transactions"].as_array().unwrap().len(), 3);
    for size in ["", "0", "ten", "1.5"] {
        let reply = page(size).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{size}");
        assert_eq!(reply.json()["errors"]["size"], "A page has 1 to 500 lines.", "{reply:?}");
    }
}

/// [D-Q1] [D-R17] A quote has its units and rate as text, its life and its sources; the key and the exact amount reach wallet.
#[tokio::test]
async fn a_quote_is_told_exactly() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let request = Request::post("/v1/quotes")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .header("idempotency-key", "k");
    let body = r#"{"direction":"deposit","amount":500.10,"method":"BTC"}"#;
    let reply = fixture.send(request.body(Body::from(body)).unwrap()).await;
    assert_eq!(reply.status, StatusCode::CREATED, "{reply:?}");
    let expected = json!({
        "id": "0195", "direction": "deposit", "amount": 500.10, "pricedAmount": 500.10, "method": "BTC",
        "methodVersion": 2, "asset": "BTC", "network": "Bitcoin", "chain": "bitcoin", "address": "bc1q",
        "units": "513809", "decimals": 8, "rate": "97312.45", "spreadBps": 50,
        "sources": [{ "name": "kraken", "bid": "97312.45", "ask": "97313", "at": "1970-01-01T00:00:00Z" }],
        "at": "1970-01-01T00:00:00Z", "expiresAt": "1970-01-01T00:15:00Z",
    });
    assert_eq!(reply.json()["quote"], expected);
    let asked = fixture.wallet.quotes.lock().unwrap().pop().unwrap();
    assert_eq!((asked.amount_cents, asked.idempotency.unwrap().key.as_str()), (50_010, "k"));
    for (body, field) in [
        (r#"{"direction":"both","amount":1,"method":"BTC"}"#, "direction"),
        (r#"{"amount":1,"method":"BTC"}"#, "direction"),
        (r#"{"direction":"deposit","amount":"1e2","method":"BTC"}"#, "amount"),
    ] {
        let reply = fixture.call(Method::POST, "/v1/quotes", Some(&token), body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert!(reply.json()["errors"][field].is_string(), "{reply:?}");
    }
    assert!(fixture.wallet.quotes.lock().unwrap().is_empty());
}

/// [D-Q1] The quote that a deposit names reaches wallet.
#[tokio::test]
async fn a_deposit_names_its_quote() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    for (extra, quote_id) in [("", ""), (r#","quoteId":"0195""#, "0195")] {
        let body = format!(r#"{{"amount":100,"method":"BTC","receipt":"{PNG}"{extra}}}"#);
        deposit(&fixture, &token, None, &body).await;
        assert_eq!(fixture.wallet.deposits.lock().unwrap().pop().unwrap().quote_id, quote_id);
    }
}
