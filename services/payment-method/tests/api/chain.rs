//! A world that looks at a chain.

#![expect(clippy::print_stdout, reason = "a test says what is not installed")]

use payment_method::app::observe_chain::observe_chain;
use payment_method::clients::chain::Chain;
use payment_method::domain::address;
use payment_method::domain::network::Format;
use serde_json::json;
use sqlx::PgPool;
use stack::nodes::{Anvil, Bitcoind, Blocks, EvmChain, Installed};
use tempfile::TempDir;

use crate::fixture::World;

/// A row, shortly: address, index, symbol, units, state.
pub type Seen = (String, i32, String, String, String);

/// One look, no matter who looked a moment ago.
pub async fn look(world: &World, chain: &Chain) {
    sqlx::query("UPDATE chain_cursors SET leased_until = '-infinity'").execute(&world.pool).await.unwrap();
    observe_chain(&world.grpc.db, chain, 0).await.unwrap();
}

/// The payments that were seen, in their order.
pub async fn seen(world: &World, way: &str) -> Vec<Seen> {
    sqlx::query_as("SELECT address, idx, symbol, units::text, state FROM chain_payments WHERE way = $1 ORDER BY id")
        .bind(way)
        .fetch_all(&world.pool)
        .await
        .unwrap()
}

pub async fn states(world: &World) -> Vec<String> {
    seen(world, "in").await.into_iter().map(|(.., state)| state).collect()
}

/// Why a chain cannot be observed, and whether it ever was.
pub async fn trouble(world: &World, chain: &str) -> (String, bool) {
    sqlx::query_as("SELECT trouble, observed_at IS NOT NULL FROM chain_cursors WHERE chain = $1")
        .bind(chain)
        .fetch_one(&world.pool)
        .await
        .unwrap()
}

/// Two sources agree on a rate, in millionths of a dollar.
pub async fn rate(pool: &PgPool, symbol: &str, micros: i64) {
    for source in ["kraken", "coinbase"] {
        sqlx::query(
            "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, source_at, read_at)
             VALUES ($1, $2, $3, $3, clock_timestamp(), clock_timestamp())",
        )
        .bind(symbol)
        .bind(source)
        .bind(micros)
        .execute(pool)
        .await
        .unwrap();
    }
}

/// bitcoind in a folder of its own; nothing where it is not installed.
pub async fn bitcoind() -> Option<(Bitcoind, TempDir)> {
    let Some(program) = Installed::find().unwrap().bitcoind else {
        println!("bitcoind is not installed");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let node = Bitcoind::start(&program, &folder.path().join("data"), &folder.path().join("log")).await.unwrap();
    Some((node, folder))
}

/// anvil; nothing where it is not installed.
pub async fn anvil(chain: EvmChain) -> Option<(Anvil, TempDir)> {
    let Some(program) = Installed::find().unwrap().anvil else {
        println!("anvil is not installed");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let anvil = Anvil::start(&program, chain, (None, &folder.path().join("log")), Blocks::OnDemand).await.unwrap();
    Some((anvil, folder))
}

/// What the test network writes for an address of the main network.
pub async fn regtest(node: &Bitcoind, address: &str) -> String {
    let script = address::script(Format::Bitcoin, address).unwrap();
    let decoded = node.rpc.call("decodescript", json!([script])).await.unwrap();
    decoded["address"].as_str().unwrap().to_owned()
}
