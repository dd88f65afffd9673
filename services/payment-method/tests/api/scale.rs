//! Many addresses and a long backlog, on a node that a test makes up.

#![expect(clippy::print_stdout, reason = "the measured time")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Json;
use axum::routing::post;
use payment_method::clients::chain::Chain;
use payment_method::clients::evm_rpc::{EvmRpc, Kind};
use payment_method::domain::address::of_account;
use payment_method::domain::network::Format;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::net::TcpListener;

use crate::chain::{look, trouble};
use crate::fixture::World;
use crate::own_addresses::{derive, vector};

const ADDRESSES: u64 = 10_000;
const BLOCKS: u64 = 200;
/// Transactions of strangers, and of members, in a block.
const STRANGERS: u64 = 150;
const MEMBERS: u64 = 5;
const FIRST: u64 = 1_000;

fn account(number: u64) -> String {
    format!("{number:040x}")
}

fn block(height: u64, txs: &[Value]) -> Value {
    let number = format!("0x{height:x}");
    let time = format!("0x{:x}", OffsetDateTime::now_utc().unix_timestamp());
    let (hash, parent) = (format!("0x{height:064x}"), format!("0x{:064x}", height - 1));
    json!({ "number": number, "hash": hash, "parentHash": parent, "timestamp": time, "transactions": txs })
}

/// A chain of made-up blocks, whose payments go to these accounts.
struct Made {
    accounts: Vec<String>,
}

impl Made {
    /// Member payments come first; the hash encodes the block and the place in it.
    fn transaction(&self, height: u64, place: u64) -> Value {
        let member = usize::try_from((height * MEMBERS + place) % ADDRESSES).unwrap();
        let to = if place < MEMBERS { self.accounts[member].clone() } else { account(900_000 + place) };
        json!({
            "hash": format!("0x{:064x}", height * 1_000 + place), "from": format!("0x{}", account(800_000 + place)),
            "to": format!("0x{to}"), "value": format!("0x{:x}", 1_000_000 + place), "blockNumber": format!("0x{height:x}"),
        })
    }

    fn result(&self, method: &str, params: &Value) -> Value {
        let newest = FIRST + BLOCKS;
        let place = |hash: &Value| {
            let number = number(hash);
            (number / 1_000, number % 1_000)
        };
        match method {
            "eth_chainId" => json!("0x1"),
            "eth_getBlockByNumber" => {
                let height = match params[0].as_str().unwrap() {
                    "latest" => newest,
                    "finalized" => FIRST,
                    _ => number(&params[0]),
                };
                let all: Vec<_> = (0..MEMBERS + STRANGERS).map(|place| self.transaction(height, place)).collect();
                block(height, if params[1] == true { &all } else { &[] })
            }
            "eth_getTransactionByHash" => {
                let (height, place) = place(&params[0]);
                self.transaction(height, place)
            }
            "eth_getTransactionReceipt" => {
                let (height, _) = place(&params[0]);
                let (number, hash) = (format!("0x{height:x}"), format!("0x{height:064x}"));
                json!({ "status": "0x1", "blockHash": hash, "blockNumber": number, "logs": [] })
            }
            "eth_getLogs" => json!([]),
            _ => json!("0x0"),
        }
    }

    /// Looks at this chain once, and says how long that took: each payment is there once.
    async fn observed(self, world: &World, what: &str) -> Duration {
        // Balances are read apart: tens of thousands of them take longer than a block.
        sqlx::query(
            "INSERT INTO holdings (chain, symbol, address, is_own, opening, opening_height, opened_at, carried, carried_height, moved,
                units, read_at) VALUES ('ethereum', 'ETH', '', false, 0, 0, now(), 0, 0, 0, 0, now() + interval '1 day')",
        )
        .execute(&world.pool)
        .await
        .unwrap();
        let made = Arc::new(self);
        let router = Router::new().fallback(post(move |Json(call): Json<Value>| {
            let result = made.result(call["method"].as_str().unwrap(), &call["params"]);
            async move { Json(json!({ "result": result })) }
        }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let chain = Chain::from(EvmRpc::new(Kind::Ethereum, url.parse().unwrap()).unwrap());
        let begun = Instant::now();
        look(world, &chain).await;
        let took = begun.elapsed();
        println!("{ADDRESSES} {what}, {BLOCKS} blocks: {:.1} s", took.as_secs_f32());
        assert_eq!(trouble(world, "ethereum").await, (String::new(), true));
        let found: (i64, i64) = sqlx::query_as("SELECT count(*), count(DISTINCT txid) FROM chain_payments")
            .fetch_one(&world.pool)
            .await
            .unwrap();
        let expected = i64::try_from(BLOCKS * MEMBERS).unwrap();
        assert_eq!(found, (expected, expected));
        took
    }
}

fn number(text: &Value) -> u64 {
    u64::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// [D-Q4] 10,000 addresses and a backlog of 200 blocks of 155 transactions: each payment is there once. Prints how long it took.
#[sqlx::test(migrations = false)]
async fn many_addresses_and_a_backlog_are_observed(pool: PgPool) {
    let world = World::new(pool).await;
    let mut addresses = Vec::new();
    for number in 1..=ADDRESSES {
        addresses.push(of_account(Format::Evm, &account(number)).unwrap());
    }
    sqlx::query(
        "WITH made AS (
            INSERT INTO methods (id, scope, version, created_at, updated_at)
            SELECT gen_random_uuid(), 'platform', 1, now(), now() FROM generate_series(1, cardinality($1)) RETURNING id
         ), numbered AS (SELECT id, row_number() OVER () AS place FROM made)
         INSERT INTO method_versions (method_id, version, scope, currency, network, address, memo, label, image_key, created_at)
         SELECT id, 1, 'platform', 'ETH', 'ERC20', ($1::text[])[place], '', '', '', now() FROM numbered",
    )
    .bind(&addresses)
    .execute(&world.pool)
    .await
    .unwrap();
    Made { accounts: (1..=ADDRESSES).map(account).collect() }.observed(&world, "addresses").await;
}

/// [D-N2] [D-Q4] The same with 10,000 own addresses of members, derived from the key of one method. The payments come after a gap of
/// thousands of addresses that were never paid to. To measure it again: `cargo test --workspace --test api -- --nocapture own_addresses_and`.
#[sqlx::test(migrations = false)]
async fn many_own_addresses_and_a_backlog_are_observed(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("ETH", "ERC20", &vector("ERC20").key).await;
    let count = u32::try_from(ADDRESSES).unwrap();
    let addresses = derive(&world, ("ethereum", "ERC20"), count).await;
    let accounts = addresses.iter().map(|address| address.trim_start_matches("0x").to_lowercase()).collect();
    let took = Made { accounts }.observed(&world, "own addresses").await;
    assert!(took < Duration::from_secs(60), "{took:?}");
    let paid: (i64, i64) =
        sqlx::query_as("SELECT count(*), min(index)::bigint FROM deposit_addresses WHERE paid_at IS NOT NULL")
            .fetch_one(&world.pool)
            .await
            .unwrap();
    assert_eq!(paid.0, i64::try_from(BLOCKS * MEMBERS).unwrap());
    assert!(paid.1 > 1_000, "a gap of unused addresses: {paid:?}");
}
