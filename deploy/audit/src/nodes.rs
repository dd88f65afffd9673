//! Reads payments that transactions rest on again from nodes: the rows that decided about them were written by one service
//! alone (M31).

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use futures::StreamExt;
use serde_json::{Value, json};
use sqlx::FromRow;

use super::snapshots::Snapshots;
use super::verdict::Verdict;
use stack::Service;
use stack::nodes::Rpc;
use stack::treasurer::pay::{account, segwit_script};

/// How many are read again on each chain, the newest.
const READ: i64 = 1_000;
/// Calls at once.
const PARALLEL: usize = 8;
/// The settings of payment-method that name the nodes, by chain.
const SETTINGS: [(&str, &str); 3] = [("bitcoin", "BITCOIN_URL"), ("ethereum", "ETHEREUM_URL"), ("tron", "TRON_URL")];
/// `Transfer(address,address,uint256)`.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/// A payment as payment-method stores it.
#[derive(Debug, FromRow)]
struct Seen {
    txid: String,
    idx: i32,
    way: String,
    units: String,
    address: String,
    counterparty: String,
    /// Empty for the coin of the chain.
    contract: String,
}

/// What each transaction consumes is what a node shows, for the chains whose nodes are named.
pub async fn verdicts(snapshots: &mut Snapshots, nodes: &BTreeMap<String, String>) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    for (chain, setting) in SETTINGS {
        let Some(node) = nodes.get(setting).filter(|url| !url.trim().is_empty()) else { continue };
        let node = Rpc::of_setting(node)?;
        let consumed: Vec<(String, i64, String)> = sqlx::query_as(
            "SELECT txid, vout, direction FROM consumed_payments
             WHERE chain = $1 AND units IS NOT NULL AND freed_at IS NULL ORDER BY consumed_at DESC LIMIT $2",
        )
        .bind(chain)
        .bind(READ)
        .fetch_all(snapshots.of(Service::Wallet)?)
        .await?;
        let txids: Vec<_> = consumed.iter().map(|(txid, ..)| txid.clone()).collect();
        let seen: Vec<Seen> = sqlx::query_as(
            "SELECT txid, idx, way, units::text, address, counterparty, contract FROM chain_payments
             JOIN assets USING (chain, symbol) WHERE chain = $1 AND txid = ANY ($2) AND way <> 'fee'",
        )
        .bind(chain)
        .bind(txids)
        .fetch_all(snapshots.of(Service::PaymentMethod)?)
        .await?;
        let by_key: HashMap<_, _> =
            seen.into_iter().map(|one| ((one.txid.clone(), i64::from(one.idx), one.way.clone()), one)).collect();
        let found: Vec<_> = consumed.iter().filter_map(|key| by_key.get(key)).collect();
        let read = futures::stream::iter(found)
            .map(|one| {
                let node = &node;
                async move {
                    let shown = if chain == "bitcoin" { bitcoin(node, one).await } else { evm(node, one).await };
                    let problem = match shown {
                        Ok(true) => return None,
                        Ok(false) => "the node shows something else".to_owned(),
                        Err(error) => format!("the node cannot show it: {error:#}"),
                    };
                    Some(format!("{} to {} on {chain}, transaction {}: {problem}", one.units, one.to(), one.txid))
                }
            })
            .buffered(PARALLEL);
        let offending = read.collect::<Vec<_>>().await.into_iter().flatten().collect();
        let promise = format!("{chain}: a node shows the newest payments that transactions rest on");
        verdicts.push(Verdict::new("D-N1 D-N6", promise, offending));
    }
    Ok(verdicts)
}

impl Seen {
    fn to(&self) -> &str {
        if self.way == "in" { &self.address } else { &self.counterparty }
    }
}

async fn bitcoin(node: &Rpc, one: &Seen) -> Result<bool> {
    let transaction = node.call("getrawtransaction", json!([one.txid, true])).await?;
    let place = usize::try_from(one.idx)?;
    let output = transaction["vout"].get(place).context("it has no such output")?;
    let is_right_place = match segwit_script(one.to()) {
        Ok(script) => output["scriptPubKey"]["hex"] == script,
        // The older forms of addresses name themselves.
        Err(_) => output["scriptPubKey"]["address"] == one.to(),
    };
    // All bitcoins that will ever be have fewer digits than a double keeps.
    let value = output["value"].as_f64().context("an amount")?;
    let satoshi: u64 = format!("{value:.8}").replace('.', "").parse()?;
    Ok(is_right_place && satoshi.to_string() == one.units)
}

async fn evm(node: &Rpc, one: &Seen) -> Result<bool> {
    let hash = format!("0x{}", one.txid);
    let receipt = node.call("eth_getTransactionReceipt", json!([hash])).await?;
    if receipt["status"] != "0x1" {
        return Ok(false);
    }
    let to = account(one.to())?;
    let number = |text: &Value| {
        let digits = text.as_str()?.trim_start_matches("0x").trim_start_matches('0');
        u128::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16).ok()
    };
    if one.contract.is_empty() {
        let transaction = node.call("eth_getTransactionByHash", json!([hash])).await?;
        let is_there = transaction["to"].as_str().is_some_and(|place| place.eq_ignore_ascii_case(&to));
        return Ok(is_there && number(&transaction["value"]).is_some_and(|units| units.to_string() == one.units));
    }
    let log = receipt["logs"].get(usize::try_from(one.idx)?).context("it has no such log")?;
    let contract = account(&one.contract)?;
    let is_of_token = log["address"].as_str().is_some_and(|place| place.eq_ignore_ascii_case(&contract));
    let is_to = log["topics"][2].as_str().is_some_and(|topic| topic.ends_with(to.trim_start_matches("0x")));
    let is_transfer = log["topics"][0] == TRANSFER;
    Ok(is_of_token && is_to && is_transfer && number(&log["data"]).is_some_and(|units| units.to_string() == one.units))
}
