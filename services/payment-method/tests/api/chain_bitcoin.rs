//! Payments in bitcoin, on a real node.

use futures::future::join_all;
use payment_method::app::observe_chain::observe_chain;
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use serde_json::{Value, json};
use sqlx::PgPool;
use stack::nodes::Bitcoind;

use crate::chain::{bitcoind, look, rate, regtest, seen, states, trouble};
use crate::fixture::{BITCOIN, World};

const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
const LEGACY: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

fn chain(node: &Bitcoind) -> Chain {
    Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap())
}

/// A world with one address, at 100,000 dollars a bitcoin.
async fn world(pool: PgPool) -> World {
    let world = World::new(pool).await;
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    rate(&world.pool, "BTC", 100_000_000_000).await;
    world
}

/// [D-Q4] Cases 7, 8 and 9: addresses of every kind are watched by their script. A payment is seen while it waits, and final
/// after as many blocks as its value asks for. Each output is a row; what goes back to the payer is not.
#[sqlx::test(migrations = false)]
async fn outputs_are_seen_and_become_final_by_value(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = world(pool).await;
    for address in [TAPROOT, LEGACY] {
        world.platform("BTC", "Bitcoin", address).await;
    }
    let chain = chain(&node);
    look(&world, &chain).await;
    assert_eq!((trouble(&world, "bitcoin").await, states(&world).await), ((String::new(), true), vec![]));
    let mut amounts = Vec::new();
    for (address, satoshi) in [(BITCOIN, 513_809), (TAPROOT, 2_000_000), (LEGACY, 10_000_000)] {
        amounts.push((regtest(&node, address).await, satoshi));
    }
    let amounts: Vec<_> = amounts.iter().map(|(address, satoshi)| (address.as_str(), *satoshi)).collect();
    // One transaction for each: what is paid together is final together.
    for one in amounts {
        node.pay(&[one]).await.unwrap();
    }
    look(&world, &chain).await;
    let mut found: Vec<_> =
        seen(&world, "in").await.into_iter().map(|(to, _, _, units, state)| (to, units, state)).collect();
    found.sort();
    let row = |address: &str, units: &str| (address.to_owned(), units.to_owned(), "seen".to_owned());
    let mut expected = [row(BITCOIN, "513809"), row(TAPROOT, "2000000"), row(LEGACY, "10000000")];
    expected.sort();
    assert_eq!(found, expected);
    // $513.81 takes 2 blocks, $2,000 takes 3, $10,000 takes 6.
    for (blocks, final_ones) in [(1, 0), (2, 1), (3, 2), (5, 2), (6, 3)] {
        let height = node.rpc.call("getblockcount", json!([])).await.unwrap().as_i64().unwrap();
        node.mine(u32::try_from(blocks + 101 - height).unwrap()).await.unwrap();
        look(&world, &chain).await;
        let states = states(&world).await;
        assert_eq!(states.iter().filter(|state| *state == "final").count(), final_ones, "{blocks} {states:?}");
        assert_eq!(states.iter().filter(|state| *state == "included").count(), 3 - final_ones, "{blocks} {states:?}");
    }
}

/// [D-Q4] Case 11: a payment that was replaced by one with a higher fee names it, and the other counts.
#[sqlx::test(migrations = false)]
async fn a_replaced_payment_does_not_count(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = (world(pool).await, chain(&node));
    let to = regtest(&node, BITCOIN).await;
    let first = node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["seen"]);
    let bumped = node.wallet("bumpfee", json!([first])).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["replaced", "seen"]);
    node.mine(2).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["replaced", "final"]);
    let by: (String,) = sqlx::query_as("SELECT replaced_by FROM chain_payments WHERE txid = $1")
        .bind(&first)
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(Value::from(by.0), bumped["txid"]);
}

/// [D-Q4] Case 12: a reorganisation ends what was final, and the payment is included again without a second row.
#[sqlx::test(migrations = false)]
async fn a_reorganisation_orphans_and_includes_again(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = (world(pool).await, chain(&node));
    let to = regtest(&node, BITCOIN).await;
    node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
    node.mine(3).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["final"]);
    let hash = node.rpc.call("getblockhash", json!([102])).await.unwrap();
    node.rpc.call("invalidateblock", json!([hash])).await.unwrap();
    node.settle().await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["orphaned"]);
    node.mine(1).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["included"]);
    node.mine(3).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["final"]);
}

/// [D-Q4] Case 19: after 200 blocks without an observer two start at once: each payment is there once, also one to an archived
/// address; coins from mining are not, as long as they cannot be spent.
#[sqlx::test(migrations = false)]
async fn a_backlog_is_caught_up_once(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = world(pool).await;
    let old = world.platform("BTC", "Bitcoin", LEGACY).await;
    let end = world.propose(&old, None).await.unwrap();
    world.confirm(&end.id, 1).await.unwrap();
    look(&world, &chain(&node)).await;
    for address in [BITCOIN, LEGACY, BITCOIN] {
        let to = regtest(&node, address).await;
        node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
        node.mine(65).await.unwrap();
    }
    let to = regtest(&node, BITCOIN).await;
    node.rpc.call("generatetoaddress", json!([5, to])).await.unwrap();
    node.settle().await.unwrap();
    sqlx::query("UPDATE chain_cursors SET leased_until = '-infinity'").execute(&world.pool).await.unwrap();
    let (one, other) = (chain(&node), chain(&node));
    let looked = join_all([observe_chain(&world.grpc.db, &one, 0), observe_chain(&world.grpc.db, &other, 0)]).await;
    assert!(looked.into_iter().all(|looked| looked.is_ok()));
    assert_eq!(states(&world).await, ["final", "final", "final"]);
    look(&world, &one).await;
    assert_eq!(states(&world).await.len(), 3);
}
