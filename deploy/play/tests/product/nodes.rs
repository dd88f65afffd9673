//! The nodes of the local stack and the test contracts. Where they are not installed, a line says so.

#![expect(clippy::print_stdout, reason = "a test says what is not installed")]

use serde_json::{Value, json};
use stack::nodes::{Anvil, Bitcoind, Blocks, EvmChain, Installed, RICH, address_word, call_data, number_word};

const SOMEBODY: &str = "0x736f6c76616e65206c6f63616c2065746865722e";
const FAKE: &str = "0x00000000000000000000000000000000000000fa";
const LIAR: &str = "0x00000000000000000000000000000000000000fb";
const BATCH: &str = "0x00000000000000000000000000000000000000fc";

/// `pay(tokens, to, values)` of the batch contract.
fn pay_data(payments: &[(&str, &str, u128)]) -> String {
    let array = |words: Vec<String>| [vec![number_word(payments.len() as u128)], words].concat().concat();
    let size = 32 * (payments.len() as u128 + 1);
    let heads = [96, 96 + size, 96 + 2 * size].map(number_word).concat();
    let tokens = array(payments.iter().map(|(token, ..)| address_word(token)).collect());
    let to = array(payments.iter().map(|(_, to, _)| address_word(to)).collect());
    let values = array(payments.iter().map(|(.., value)| number_word(*value)).collect());
    call_data("dfbad5ab", &[heads, tokens, to, values])
}

/// [D-Q9] anvil stands in for both EVM chains. USDT is at its real address and returns nothing; one transaction pays two
/// members, and in a token of the same symbol; a lying contract logs a transfer and moves nothing.
#[tokio::test]
async fn anvil_has_tokens_of_every_kind() {
    let Some(program) = Installed::find().unwrap().anvil else { return println!("anvil is not installed") };
    let folder = tempfile::tempdir().unwrap();
    for (chain, id) in [(EvmChain::Ethereum, "0x1"), (EvmChain::Tron, "0x2b6653dc")] {
        let anvil = Anvil::start(&program, chain, (None, &folder.path().join("log")), Blocks::OnDemand).await.unwrap();
        assert_eq!(anvil.rpc.call("eth_chainId", json!([])).await.unwrap(), id);
        for (contract, address) in [("Token", FAKE), ("Liar", LIAR), ("Batch", BATCH)] {
            anvil.place(contract, address).await.unwrap();
        }
        for token in [chain.usdt(), FAKE] {
            let mint = call_data("40c10f19", &[address_word(BATCH), number_word(900)]);
            anvil.send(token, 0, &mint).await.unwrap();
        }
        let payments =
            [(chain.usdt(), SOMEBODY, 500), (chain.usdt(), RICH, 400), (FAKE, SOMEBODY, 900), (LIAR, SOMEBODY, 7)];
        let hash = anvil.send(BATCH, 0, &pay_data(&payments)).await.unwrap();
        let receipt = anvil.receipt(&hash).await.unwrap();
        assert_eq!((&receipt["status"], receipt["logs"].as_array().unwrap().len()), (&json!("0x1"), 4), "{receipt}");
        for (token, balance) in [(chain.usdt(), 500), (FAKE, 900)] {
            let call = json!([{ "to": token, "data": call_data("70a08231", &[address_word(SOMEBODY)]) }, "latest"]);
            let units = anvil.rpc.call("eth_call", call).await.unwrap();
            assert_eq!(units, json!(format!("0x{}", number_word(balance))), "{token}");
        }
        anvil.process.terminate().await.unwrap();
    }
}

/// [D-Q9] bitcoind has a wallet with coins, which are still there after a restart.
#[tokio::test]
async fn bitcoind_pays_and_keeps_its_chain() {
    let Some(program) = Installed::find().unwrap().bitcoind else { return println!("bitcoind is not installed") };
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("bitcoin"), folder.path().join("log"));
    let node = Bitcoind::start(&program, &data, &log).await.unwrap();
    let address = node.wallet("getnewaddress", json!([])).await.unwrap();
    let txid = node.pay(&[(address.as_str().unwrap(), 513_809)]).await.unwrap();
    node.mine(1).await.unwrap();
    node.process.terminate().await.unwrap();
    let node = Bitcoind::start(&program, &data, &log).await.unwrap();
    assert_eq!(node.rpc.call("getblockcount", json!([])).await.unwrap(), 102);
    let found = node.wallet("gettransaction", json!([txid])).await.unwrap();
    assert_eq!(found["confirmations"], Value::from(1), "{found}");
    node.process.terminate().await.unwrap();
}
