//! Nodes that fail, lie or are somewhere else: nothing is known then, and nothing changes.

use axum::Router;
use axum::extract::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use payment_method::clients::evm_rpc::{EvmRpc, Kind};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::net::TcpListener;

use crate::chain::{look, states, trouble};
use crate::fixture::{BITCOIN, TRON_2, World};

/// A node that answers each method so, by its address.
pub async fn node(answer: impl Fn(&str, &Value) -> Response + Clone + Send + Sync + 'static) -> String {
    let router = Router::new().fallback(post(async move |Json(call): Json<Value>| {
        answer(call["method"].as_str().unwrap_or_default(), &call["params"])
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

pub fn result(value: Value) -> Response {
    Json(json!({ "jsonrpc": "2.0", "id": 1, "result": value })).into_response()
}

pub fn tron(url: &str) -> Chain {
    Chain::from(EvmRpc::new(Kind::Tron, url.parse().unwrap()).unwrap())
}

pub fn block(height: i64, hash: &str, at: OffsetDateTime) -> Value {
    json!({ "number": format!("0x{height:x}"), "hash": hash, "timestamp": format!("0x{:x}", at.unix_timestamp()) })
}

/// [D-Q4] Case 18: silence aside, everything a node does wrong is a reason and no answer.
#[sqlx::test(migrations = false)]
async fn a_failing_node_makes_unknown(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("USDT", "TRC20", TRON_2).await;
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    let now = OffsetDateTime::now_utc();
    type Answer = Box<dyn Fn(&str, &Value) -> Response + Send + Sync>;
    let wrong: [(&str, Answer); 6] = [
        ("limited", Box::new(|_, _| StatusCode::TOO_MANY_REQUESTS.into_response())),
        ("unreadable", Box::new(|_, _| "Error: lack of computing resources".into_response())),
        ("refused", Box::new(|_, _| Redirect::temporary("/elsewhere").into_response())),
        ("unreadable", Box::new(|_, _| "1".repeat(1024).into_response())),
        ("wrong_chain", Box::new(|_, _| result(json!("0x1")))),
        (
            "stale",
            Box::new(move |method, _| match method {
                "eth_chainId" => result(json!("0x2b6653dc")),
                _ => result(block(100, "0xaa", now - time::Duration::minutes(2))),
            }),
        ),
    ];
    for (reason, answer) in wrong {
        let answer = std::sync::Arc::new(answer);
        let url = node(move |method, params| answer(method, params)).await;
        look(&world, &tron(&url)).await;
        assert_eq!(trouble(&world, "tron").await, (reason.to_owned(), false));
    }
    look(&world, &tron("http://127.0.0.1:1")).await;
    assert_eq!(trouble(&world, "tron").await, ("unreachable".to_owned(), false));
    // A node of the test network is not one of the main network.
    let url = node(|method, _| match method {
        "getblockhash" => result(json!("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206")),
        _ => result(json!({ "chain": "regtest", "blocks": 0, "bestblockhash": "00" })),
    })
    .await;
    look(&world, &Chain::from(BitcoinCore::new(url.parse().unwrap(), Network::Main).unwrap())).await;
    assert_eq!(trouble(&world, "bitcoin").await, ("wrong_chain".to_owned(), false));
}

/// [D-Q4] Case 18: a receipt of a block that is not the one at its height is no payment, and what was known stays.
#[sqlx::test(migrations = false)]
async fn a_receipt_of_another_block_is_refused(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("USDT", "TRC20", TRON_2).await;
    let hash = format!("0x{}", "ab".repeat(32));
    let topics = |to: &str| {
        json!([
            "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
            format!("0x{:0>64}", "01"),
            format!("0x{to:0>64}"),
        ])
    };
    let ours = payment_method::domain::address::script(payment_method::domain::network::Format::Tron, TRON_2).unwrap();
    let answer = move |is_true: bool| {
        let (hash, ours) = (hash.clone(), ours.clone());
        move |method: &str, params: &Value| {
            let now = OffsetDateTime::now_utc();
            let log = json!({
                "address": "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c", "topics": topics(&ours),
                "data": format!("0x{:064x}", 5_000_000), "transactionHash": hash,
            });
            match method {
                "eth_chainId" => result(json!("0x2b6653dc")),
                "eth_getBlockByNumber" if params[0] == "finalized" => result(block(90, "0x90", now)),
                "eth_getBlockByNumber" if params[0] == "0x5f" => result(block(95, "0x95", now)),
                "eth_getBlockByNumber" => result(block(100, "0x100", now)),
                "eth_getLogs" => result(json!([log])),
                "eth_getTransactionByHash" => {
                    result(json!({ "from": "0x01", "to": "0x02", "value": "0x0", "blockNumber": "0x5f" }))
                }
                _ => {
                    let block = if is_true { "0x95" } else { "0x96" };
                    result(json!({ "status": "0x1", "blockHash": block, "blockNumber": "0x5f", "logs": [log] }))
                }
            }
        }
    };
    let (lying, honest) = (node(answer(false)).await, node(answer(true)).await);
    look(&world, &tron(&lying)).await;
    assert_eq!((trouble(&world, "tron").await.0, states(&world).await), ("contradiction".to_owned(), vec![]));
    look(&world, &tron(&honest)).await;
    assert_eq!((trouble(&world, "tron").await.0, states(&world).await), (String::new(), vec!["included".to_owned()]));
    look(&world, &tron(&lying)).await;
    assert_eq!(
        (trouble(&world, "tron").await.0, states(&world).await),
        ("contradiction".to_owned(), vec!["included".to_owned()])
    );
}
