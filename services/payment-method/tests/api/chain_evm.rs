//! Payments in tokens and coins of EVM chains, on real nodes.

use alloy_primitives::keccak256;
use payment_method::clients::chain::Chain;
use payment_method::clients::evm_rpc::{EvmRpc, Kind};
use payment_method::domain::address;
use payment_method::domain::network::Format;
use serde_json::json;
use sqlx::PgPool;
use stack::nodes::{Anvil, EvmChain, RICH, address_word, call_data, number_word, transfer_data};

use crate::chain::{anvil, look, seen, states, trouble};
use crate::fixture::{EVM, TRON_2, World};

const FAKE: &str = "0x00000000000000000000000000000000000000fa";
const LIAR: &str = "0x00000000000000000000000000000000000000fb";

fn chain(anvil: &Anvil) -> Chain {
    let kind = if anvil.chain == EvmChain::Tron { Kind::Tron } else { Kind::Ethereum };
    Chain::from(EvmRpc::new(kind, anvil.rpc.url.parse().unwrap()).unwrap())
}

async fn height(world: &World, chain: &str) -> i64 {
    let cursor: (i64,) = sqlx::query_as("SELECT height FROM chain_cursors WHERE chain = $1")
        .bind(chain)
        .fetch_one(&world.pool)
        .await
        .unwrap();
    cursor.0
}

/// [D-Q4] Cases 13 and 14: only transfers of the configured contract count, not one of the same symbol, a lying one or one of
/// nothing. A reorganisation orphans a payment; the cursor moves with what is final alone.
#[sqlx::test(migrations = false)]
async fn only_the_configured_contract_counts(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Ethereum).await else { return };
    let world = World::new(pool).await;
    world.platform("USDT", "ERC20", EVM).await;
    let chain = chain(&anvil);
    look(&world, &chain).await;
    assert_eq!(trouble(&world, "ethereum").await, (String::new(), true));
    for (contract, place) in [("Token", FAKE), ("Liar", LIAR)] {
        anvil.place(contract, place).await.unwrap();
    }
    for token in [anvil.chain.usdt(), FAKE] {
        let hash = anvil.pay_token(token, EVM, 500_001_000).await.unwrap();
        anvil.receipt(&hash).await.unwrap();
    }
    for (token, units) in [(LIAR, 7), (anvil.chain.usdt(), 0)] {
        let hash = anvil.send(token, 0, &transfer_data(EVM, units)).await.unwrap();
        anvil.receipt(&hash).await.unwrap();
    }
    look(&world, &chain).await;
    let expected = (EVM.to_owned(), 0, "USDT".to_owned(), "500001000".to_owned(), "included".to_owned());
    assert_eq!(seen(&world, "in").await, [expected]);
    assert_eq!(height(&world, "ethereum").await, 0);
    // The blocks since the payment are replaced by empty ones.
    anvil.rpc.call("anvil_reorg", json!([5, []])).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["orphaned"]);
    let hash = anvil.pay_token(anvil.chain.usdt(), EVM, 1).await.unwrap();
    anvil.receipt(&hash).await.unwrap();
    anvil.mine(64).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["orphaned", "final"]);
    assert!(height(&world, "ethereum").await > 0);
}

/// [D-Q4] Cases 10 and 14: one transaction that pays twice and has a worthless token too is two payments, each with its index.
#[sqlx::test(migrations = false)]
async fn a_batch_of_transfers_is_several_payments(pool: PgPool) {
    const BATCH: &str = "0x00000000000000000000000000000000000000fc";
    let Some((anvil, _folder)) = anvil(EvmChain::Ethereum).await else { return };
    let world = World::new(pool).await;
    world.platform("USDT", "ERC20", EVM).await;
    let chain = chain(&anvil);
    look(&world, &chain).await;
    for (contract, place) in [("Token", FAKE), ("Batch", BATCH)] {
        anvil.place(contract, place).await.unwrap();
    }
    let usdt = anvil.chain.usdt();
    for token in [usdt, FAKE] {
        let hash = anvil.pay_token(token, BATCH, 1_000_000_000).await.unwrap();
        anvil.receipt(&hash).await.unwrap();
    }
    let selector: String =
        keccak256("pay(address[],address[],uint256[])")[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    let list = |words: &[String]| [&[number_word(3)], words].concat();
    let words = [
        vec![number_word(0x60), number_word(0xe0), number_word(0x160)],
        list(&[usdt, FAKE, usdt].map(address_word)),
        list(&[EVM, EVM, EVM].map(address_word)),
        list(&[250_000_000, 999_000_000, 250_001_000].map(number_word)),
    ];
    let hash = anvil.send(BATCH, 0, &call_data(&selector, &words.concat())).await.unwrap();
    assert_eq!(anvil.receipt(&hash).await.unwrap()["status"], "0x1");
    look(&world, &chain).await;
    let row =
        |index: i32, units: &str| (EVM.to_owned(), index, "USDT".to_owned(), units.to_owned(), "included".to_owned());
    // The log of the other token is between them.
    assert_eq!(seen(&world, "in").await, [row(0, "250000000"), row(2, "250001000")]);
}

/// [D-Q4] Case 15: the coin of the chain is another asset; what was reverted pays nothing.
#[sqlx::test(migrations = false)]
async fn coins_are_another_asset(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Ethereum).await else { return };
    let world = World::new(pool).await;
    world.platform("ETH", "ERC20", EVM).await;
    let chain = chain(&anvil);
    look(&world, &chain).await;
    // More than the sender has of the token, and coins for a function that takes none.
    for (to, value, data) in
        [(anvil.chain.usdt(), 0, transfer_data(EVM, 5)), (anvil.chain.usdt(), 1, transfer_data(EVM, 0))]
    {
        let hash = anvil.send(to, value, &data).await.unwrap();
        assert_eq!(anvil.receipt(&hash).await.unwrap()["status"], "0x0");
    }
    let hash = anvil.send(EVM, 20_000_000_000_000_000_000, "0x").await.unwrap();
    anvil.receipt(&hash).await.unwrap();
    look(&world, &chain).await;
    let expected = (EVM.to_owned(), 0, "ETH".to_owned(), "20000000000000000000".to_owned(), "included".to_owned());
    assert_eq!(seen(&world, "in").await, [expected]);
}

/// [D-Q4] Case 16: on Tron an address is the same 20 bytes, and final is what the chain says. What leaves is seen too.
#[sqlx::test(migrations = false)]
async fn tron_is_asked_the_same_way(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Tron).await else { return };
    let world = World::new(pool).await;
    world.platform("USDT", "TRC20", TRON_2).await;
    let chain = chain(&anvil);
    look(&world, &chain).await;
    let ours = format!("0x{}", address::script(Format::Tron, TRON_2).unwrap());
    let hash = anvil.pay_token(anvil.chain.usdt(), &ours, 250_000_000).await.unwrap();
    anvil.receipt(&hash).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["included"]);
    anvil.mine(20).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["final"]);
    let payer = address::of_account(Format::Tron, RICH.trim_start_matches("0x")).unwrap();
    let from: (String,) =
        sqlx::query_as("SELECT counterparty FROM chain_payments").fetch_one(&world.pool).await.unwrap();
    assert_eq!(from.0, payer);
    // The platform pays the sender back.
    anvil.rpc.call("anvil_impersonateAccount", json!([ours])).await.unwrap();
    anvil.rpc.call("anvil_setBalance", json!([ours, "0xde0b6b3a7640000"])).await.unwrap();
    let paid =
        json!([{ "from": ours, "to": anvil.chain.usdt(), "data": transfer_data(RICH, 100_000_000), "gas": "0x7a120" }]);
    let hash = anvil.rpc.call("eth_sendTransaction", paid).await.unwrap();
    anvil.receipt(hash.as_str().unwrap()).await.unwrap();
    look(&world, &chain).await;
    let out = seen(&world, "out").await;
    assert_eq!(out, [(TRON_2.to_owned(), 0, "USDT".to_owned(), "100000000".to_owned(), "included".to_owned())]);
}
