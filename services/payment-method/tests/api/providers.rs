//! Nodes and providers as they answer in reality, from their documentation and the issues about them: `tests/recorded`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use payment_method::clients::chain::{Chain, Node};
use payment_method::clients::evm_rpc::{EvmRpc, Kind};
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::payment_method::v1::GetEvidenceRequest;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::net::TcpListener;

use crate::chain::{look, states, trouble};
use crate::chain_hostile::{block, node, result, tron};
use crate::evidence::{ask, state};
use crate::fixture::{EVM, TRON_2, World};

/// A provider, by its address, and how often it was asked.
async fn recorded(name: &str) -> (String, Arc<AtomicUsize>) {
    let path = format!("{}/tests/recorded/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let now = format!("0x{:x}", OffsetDateTime::now_utc().unix_timestamp());
    let text = std::fs::read_to_string(path).unwrap().replace("$NOW", &now);
    let told: Value = serde_json::from_str(&text).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let router = Router::new().fallback(post(async move |headers: HeaderMap, Json(call): Json<Value>| {
        count.fetch_add(1, Ordering::SeqCst);
        answer(&told, &headers, &call)
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/jsonrpc", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, asked)
}

fn answer(told: &Value, headers: &HeaderMap, call: &Value) -> Response {
    let told_as = |one: &Value| {
        let status = StatusCode::from_u16(one["status"].as_u64().unwrap().try_into().unwrap()).unwrap();
        (status, Json(one["body"].clone())).into_response()
    };
    if let Some(name) = told["header"][0].as_str()
        && headers.get(name).is_none_or(|value| value != told["header"][1].as_str().unwrap())
    {
        return told_as(&told["without"]);
    }
    let (method, calls) = (call["method"].as_str().unwrap(), &told["calls"]);
    if method == "eth_getLogs" {
        let height = |name: &str| {
            let text = call["params"][0][name].as_str().unwrap();
            i64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
        };
        let is_refused = height("toBlock") - height("fromBlock") >= calls[method]["most"].as_i64().unwrap();
        return told_as(&calls[method][if is_refused { "refusal" } else { "result" }]);
    }
    let tagged = format!("{method} {}", call["params"][0].as_str().unwrap_or_default());
    told_as(calls.get(tagged.as_str()).unwrap_or(&calls[method]))
}

fn ethereum(url: &str) -> Chain {
    Chain::from(EvmRpc::new(Kind::Ethereum, url.parse().unwrap()).unwrap())
}

async fn cursor(world: &World, chain: &str) -> Option<i64> {
    let cursor: (Option<i64>,) = sqlx::query_as("SELECT height FROM chain_cursors WHERE chain = $1")
        .bind(chain)
        .fetch_one(&world.pool)
        .await
        .unwrap();
    cursor.0
}

/// [D-N7] A range of blocks is halved, with any status and code of a refusal.
#[sqlx::test(migrations = false)]
async fn a_range_is_halved_however_it_is_refused(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("USDT", "ERC20", EVM).await;
    for name in ["geth", "alchemy", "infura", "limited"] {
        let (url, asked) = recorded(name).await;
        let chain = ethereum(&url);
        look(&world, &chain).await;
        assert_eq!(trouble(&world, "ethereum").await.0, "", "{name}");
        assert!(asked.load(Ordering::SeqCst) < 150, "{name}");
        assert_eq!(cursor(&world, "ethereum").await, Some(936), "{name}");
    }
}

/// [D-N7] Where a node of Tron does not know what is finalized, that is what has twenty blocks above it.
#[sqlx::test(migrations = false)]
async fn finality_of_tron_does_not_need_the_tag(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("USDT", "TRC20", TRON_2).await;
    for (name, height) in [("java-tron-4.7", 980), ("quicknode-tron", 980), ("java-tron-4.8", 981)] {
        let (url, _) = recorded(name).await;
        look(&world, &tron(&url)).await;
        assert_eq!(trouble(&world, "tron").await.0, "", "{name}");
        assert_eq!(cursor(&world, "tron").await, Some(height), "{name}");
    }
}

/// [D-N7] A key is sent in the header that the provider wants. One that suspends us is left alone for a while.
#[sqlx::test(migrations = false)]
async fn a_provider_gets_its_key_and_its_pause(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("USDT", "TRC20", TRON_2).await;
    let (url, asked) = recorded("trongrid").await;
    let without = tron(&url);
    look(&world, &without).await;
    assert_eq!(trouble(&world, "tron").await.0, "limited");
    let before = asked.load(Ordering::SeqCst);
    look(&world, &without).await;
    assert_eq!((trouble(&world, "tron").await.0, asked.load(Ordering::SeqCst)), ("limited".to_owned(), before));
    look(&world, &tron(&format!("{url}|TRON-PRO-API-KEY=secret"))).await;
    assert_eq!(trouble(&world, "tron").await.0, "");
    // Another node takes over at once.
    let node = |url: &str| Node::Evm(EvmRpc::new(Kind::Tron, url.parse().unwrap()).unwrap());
    let (other, _) = recorded("java-tron-4.8").await;
    for first in [url.as_str(), "http://127.0.0.1:1"] {
        look(&world, &Chain::new(node(first), vec![node(&other)])).await;
        assert_eq!(trouble(&world, "tron").await.0, "", "{first}");
    }
}

/// [D-N7] A contract that takes coins along, or has some, may pay what no log shows: that is unknown, and not somebody else's.
#[sqlx::test(migrations = false)]
async fn a_payment_by_a_contract_is_unknown(pool: PgPool) {
    let mut world = World::new(pool).await;
    world.platform("USDT", "ERC20", EVM).await;
    let (url, _) = recorded("geth").await;
    let chain = ethereum(&url);
    world.grpc.chains = [chain.clone()].into();
    look(&world, &chain).await;
    for currency in ["ETH", "USDT"] {
        let asked = GetEvidenceRequest {
            user_id: world.member().0.to_string(),
            currency: currency.to_owned(),
            network: "ERC20".to_owned(),
            address: EVM.to_owned(),
            txid: "ab".repeat(32),
            requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
            ..Default::default()
        };
        assert_eq!(state(&ask(&world, asked).await.unwrap(), "payment_found"), "unknown", "{currency}");
    }
}

/// A node of Tron at a height that shows a payment in a final block, or does not.
async fn witness(pays: bool, mined: OffsetDateTime) -> Node {
    let hash = format!("0x{}", "ab".repeat(32));
    let ours = address::script(Format::Tron, TRON_2).unwrap();
    let log = json!({
        "address": "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c", "blockHash": "0x95", "transactionHash": hash,
        "topics": [
            "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", format!("0x{:0>64}", "01"),
            format!("0x{ours:0>64}"),
        ],
        "data": format!("0x{:064x}", 5_000_000),
    });
    let url = node(move |method: &str, params: &Value| match method {
        "eth_chainId" => result(json!("0x2b6653dc")),
        "eth_getBlockByNumber" if params[0] == "finalized" => result(block(95, "0x95", mined)),
        "eth_getBlockByNumber" if params[0] == "0x5f" => result(block(95, "0x95", mined)),
        "eth_getBlockByNumber" => result(block(100, "0x100", mined)),
        "eth_getLogs" => result(if pays { json!([log]) } else { json!([]) }),
        "eth_getTransactionByHash" if pays => {
            result(json!({ "from": "0x01", "to": "0x02", "value": "0x0", "blockNumber": "0x5f" }))
        }
        "eth_getTransactionReceipt" if pays => {
            result(json!({ "status": "0x1", "blockHash": "0x95", "blockNumber": "0x5f", "logs": [log] }))
        }
        "eth_call" => result(json!(format!("0x{:064x}", 0))),
        _ => result(Value::Null),
    })
    .await;
    Node::Evm(EvmRpc::new(Kind::Tron, url.parse().unwrap()).unwrap())
}

/// [D-N7] One node of several makes no payment final, and hides none below the height that is read no more.
#[sqlx::test(migrations = false)]
async fn most_nodes_decide_what_is_final(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("USDT", "TRC20", TRON_2).await;
    sqlx::query("UPDATE chain_cursors SET height = 90 WHERE chain = 'tron'").execute(&world.pool).await.unwrap();
    let mined = OffsetDateTime::now_utc();
    let liar = Chain::new(witness(true, mined).await, vec![witness(false, mined).await, witness(false, mined).await]);
    look(&world, &liar).await;
    assert_eq!((states(&world).await, trouble(&world, "tron").await.0), (vec!["included".to_owned()], String::new()));
    let agreed = Chain::new(witness(true, mined).await, vec![witness(false, mined).await, witness(true, mined).await]);
    look(&world, &agreed).await;
    assert_eq!(states(&world).await, ["final"]);
}

/// [D-N7] A day of an idle chain costs fewer than 50,000 calls, with a block in every look and balances read every minute.
#[sqlx::test(migrations = false)]
async fn an_idle_day_costs_few_calls(pool: PgPool) {
    const SECONDS: u64 = 600;
    const DAY: u64 = 86_400;
    let world = World::new(pool).await;
    for (currency, network, address) in
        [("USDT", "TRC20", TRON_2), ("USDT", "ERC20", EVM), ("USDC", "ERC20", EVM), ("ETH", "ERC20", EVM)]
    {
        world.platform(currency, network, address).await;
    }
    for (kind, id) in [(Kind::Tron, "0x2b6653dc"), (Kind::Ethereum, "0x1")] {
        let (height, asked) = (Arc::new(AtomicI64::new(1_000)), Arc::new(AtomicUsize::new(0)));
        let (tip, count) = (Arc::clone(&height), Arc::clone(&asked));
        let url = node(move |method: &str, params: &Value| {
            count.fetch_add(1, Ordering::SeqCst);
            let tip = tip.load(Ordering::SeqCst);
            let at = |height: i64| {
                let mut block = block(height, &format!("0x{height:064x}"), OffsetDateTime::now_utc());
                block["parentHash"] = json!(format!("0x{:064x}", height - 1));
                result(block)
            };
            match (method, params[0].as_str().unwrap_or_default()) {
                ("eth_chainId", _) => result(json!(id)),
                ("eth_getBlockByNumber", "latest") => at(tip),
                ("eth_getBlockByNumber", "finalized") => at(tip - 64),
                ("eth_getBlockByNumber", number) => at(i64::from_str_radix(&number[2..], 16).unwrap()),
                ("eth_getLogs", _) => result(json!([])),
                _ => result(json!("0x0")),
            }
        })
        .await;
        let chain = Chain::from(EvmRpc::new(kind, url.parse().unwrap()).unwrap());
        look(&world, &chain).await;
        asked.store(0, Ordering::SeqCst);
        let looks = SECONDS / chain.interval().as_secs();
        let per_minute = 60 / chain.interval().as_secs();
        for number in 0..looks {
            height.fetch_add(1, Ordering::SeqCst);
            if number % per_minute == 0 {
                sqlx::query("UPDATE holdings SET read_at = read_at - interval '2 minutes'")
                    .execute(&world.pool)
                    .await
                    .unwrap();
            }
            look(&world, &chain).await;
        }
        assert_eq!(trouble(&world, chain.name()).await.0, "");
        // What is final is asked for every thirty seconds of the database's clock, which the looks of this test do not take.
        let calls = u64::try_from(asked.load(Ordering::SeqCst)).unwrap() * (DAY / SECONDS) + DAY / 30;
        assert!(calls < 50_000, "{}: {calls} calls a day", chain.name());
    }
}
