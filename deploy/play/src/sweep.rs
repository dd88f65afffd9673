//! Sweeps the own addresses of members in a running local product to its cold storage, as the signer of an operator would (D-N2).

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{client::Client, seed};
use stack::{
    nodes::{ETHEREUM_USDT, RICH, Rpc, TRON_USDT, transfer_data},
    operator::{self, Wallet},
    running::Running,
    treasurer::pay,
};

/// The wallet of bitcoind that signs for own addresses.
const SIGNER: &str = "own-addresses";
/// The coin that a transfer of a token needs, in its smallest unit.
const GAS_MONEY: &str = "0x2386f26fc10000";
/// Satoshi a byte.
const FEE_RATE: u32 = 2;
/// Longer than the interval between two readings of balances.
const LIMIT: Duration = Duration::from_secs(150);

/// A line of the list that `payment-method sweep-list` prints.
#[derive(Debug, Deserialize)]
struct Held {
    path: String,
    address: String,
    asset: String,
    units: String,
}

/// Sends what `payment-method sweep-list` lists to the cold storage, and records the transactions as a treasury movement of two
/// treasurers; the hashes. The cold storage becomes a platform method first, archived at once, so that what is there counts.
///
/// # Errors
/// When the chain has no node here, the product refuses, or the node does.
pub async fn sweep(running: &Running, folder: &Path, chain: &str) -> Result<Vec<String>> {
    let (setting, currency, network) = match chain {
        "bitcoin" => ("BITCOIN_URL", "BTC", "Bitcoin"),
        "ethereum" => ("ETHEREUM_URL", "USDT", "ERC20"),
        "tron" => ("TRON_URL", "USDT", "TRC20"),
        _ => bail!("{chain} has no own addresses: it is bitcoin, ethereum or tron"),
    };
    let node = pay::node(running, setting)?;
    let wallet = Wallet::open(folder)?;
    let held = listed(running, chain).await?;
    for one in &held {
        let own = wallet.address(chain, &one.path)?;
        ensure!(own == one.address, "{} is not at {} of the wallet of this stack", one.address, one.path);
        ensure!(one.asset == currency, "{} holds {}, which is not swept here", one.address, one.asset);
    }
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let cold = wallet.cold_storage(chain)?;
    let staff = seed::pair(&Client::new(&running.url).patient(), "treasurer").await?;
    watch_cold_storage(&staff, (currency, network, &cold)).await?;
    let hashes = match chain {
        "bitcoin" => vec![bitcoin(&node, &wallet, &held, &cold).await?],
        "ethereum" => tokens(&node, ETHEREUM_USDT, &held, &cold).await?,
        _ => tokens(&node, TRON_USDT, &held, &cold).await?,
    };
    for txid in &hashes {
        let note = "Own addresses of members to cold storage";
        let body = json!({ "kind": "sweep", "amount": 0, "network": network, "txid": txid, "note": note });
        seed::propose(&staff.0, &staff.1, "/admin/treasury/movements", body).await?;
    }
    Ok(hashes)
}

async fn listed(running: &Running, chain: &str) -> Result<Vec<Held>> {
    let database = running.databases.get("payment-method").context("no database of payment-method")?;
    let lines = operator::printed(&["sweep-list", chain, "--json"], "", Some(database)).await?;
    lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// What moves to an address before its balance was read once would count twice.
async fn watch_cold_storage(
    (proposer, confirmer): &(Client, Client),
    (currency, network, cold): (&str, &str, &str),
) -> Result<()> {
    let known = proposer.get("/admin/payment-methods").await?.success()?;
    let versions = known["paymentMethods"].as_array().into_iter().flatten().flat_map(|one| one["versions"].as_array());
    if !versions.flatten().any(|version| version["address"] == cold) {
        let body = json!({ "currency": currency, "network": network, "address": cold, "label": "Cold storage" });
        let made = seed::propose(proposer, confirmer, "/admin/payment-methods", body).await?;
        let id = made["subjectId"].as_str().context("a method has an id")?;
        let archived = proposer.delete(&format!("/admin/payment-methods/{id}")).await?.success()?;
        let proposal = archived["proposalId"].as_str().context("a proposal has an id")?;
        confirmer.post(&format!("/admin/proposals/{proposal}/confirm"), json!({})).await?.success()?;
    }
    let begun = Instant::now();
    loop {
        let seen = proposer.get("/admin/holdings").await?.success()?;
        if seen.to_string().contains(cold) {
            return Ok(());
        }
        ensure!(begun.elapsed() < LIMIT, "the balance of {cold} was not read: does payment-method reach the node?");
        sleep(Duration::from_secs(1)).await;
    }
}

async fn bitcoin(node: &Rpc, wallet: &Wallet, held: &[Held], cold: &str) -> Result<String> {
    if node.call("loadwallet", json!([SIGNER])).await.is_err() {
        // It may be loaded, or not exist: with private keys, blank, without passphrase, as descriptors.
        drop(node.call("createwallet", json!([SIGNER, false, true, "", false, true])).await);
    }
    let signer = node.below(&format!("wallet/{SIGNER}"))?;
    let descriptor = wallet.signing_descriptor()?;
    let checksum = node.call("getdescriptorinfo", json!([descriptor])).await?["checksum"].clone();
    let descriptor = format!("{descriptor}#{}", checksum.as_str().context("a checksum")?);
    let index = |one: &Held| one.path.rsplit('/').next()?.parse::<u32>().ok();
    let last = held.iter().filter_map(index).max().unwrap_or_default();
    let wanted = json!([{ "desc": descriptor, "range": [0, last], "timestamp": 0 }]);
    let imported = signer.call("importdescriptors", json!([wanted])).await?;
    ensure!(imported[0]["success"] == true, "the keys were not imported: {imported}");
    let mut addresses = Vec::new();
    for one in held {
        addresses.push(pay::regtest(node, &one.address).await?);
    }
    let unspent = signer.call("listunspent", json!([1, 9_999_999, addresses])).await?;
    let input = |one: &Value| json!({ "txid": one["txid"], "vout": one["vout"] });
    let inputs: Vec<_> = unspent.as_array().into_iter().flatten().map(input).collect();
    ensure!(!inputs.is_empty(), "what is there is in no block yet: try again after the next one");
    let to = pay::regtest(node, cold).await?;
    let sent = signer.call("sendall", json!([[to], null, "unset", FEE_RATE, { "inputs": inputs }])).await?;
    Ok(sent["txid"].as_str().context("a hash")?.to_owned())
}

/// An address pays for its transfer itself, so each gets coins first. The node signs, in place of the wallet that has the keys.
async fn tokens(node: &Rpc, contract: &str, held: &[Held], cold: &str) -> Result<Vec<String>> {
    let to = pay::account(cold)?;
    let mut given = Vec::new();
    for one in held {
        let coins = json!([{ "from": RICH, "to": pay::account(&one.address)?, "value": GAS_MONEY }]);
        given.push(hash(&node.call("eth_sendTransaction", coins).await?)?);
    }
    wait_for(node, &given).await?;
    let mut sent = Vec::new();
    for one in held {
        let from = pay::account(&one.address)?;
        node.call("anvil_impersonateAccount", json!([from])).await?;
        let data = transfer_data(&to, one.units.parse()?);
        let transfer = json!([{ "from": from, "to": contract, "data": data, "gas": "0x186a0" }]);
        sent.push(hash(&node.call("eth_sendTransaction", transfer).await?)?);
        node.call("anvil_stopImpersonatingAccount", json!([from])).await?;
    }
    wait_for(node, &sent).await?;
    Ok(sent)
}

fn hash(answer: &Value) -> Result<String> {
    Ok(answer.as_str().context("a hash")?.to_owned())
}

/// Waits until transactions are in blocks, and have succeeded.
async fn wait_for(node: &Rpc, hashes: &[String]) -> Result<()> {
    let begun = Instant::now();
    for hash in hashes {
        let receipt = loop {
            let receipt = node.call("eth_getTransactionReceipt", json!([hash])).await?;
            if !receipt.is_null() {
                break receipt;
            }
            ensure!(begun.elapsed() < LIMIT, "{hash} is in no block");
            sleep(Duration::from_millis(100)).await;
        };
        ensure!(receipt["status"] == "0x1", "{hash} failed");
    }
    Ok(())
}
