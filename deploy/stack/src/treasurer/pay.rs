//! Pays an open deposit of a running product on its nodes, as a member would from a wallet of their own (D-Q9).

use alloy_primitives::hex;
use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use sqlx::FromRow;

use crate::{
    nodes::{RICH, Rpc, address_word, call_data, number_word, transfer_data},
    running::Running,
    servers::databases::connect_each,
};

/// The wallet of bitcoind that has coins.
pub(crate) const MINER: &str = "miner";
const USDT_DECIMALS: u32 = 6;

#[derive(Debug, FromRow)]
struct Deposit {
    currency: String,
    network: String,
    address: String,
    amount_cents: i64,
    /// At a quote.
    units: Option<String>,
}

/// Pays a deposit by its reference ("TNX-" and six characters, or the id) with these units, else with those of its quote; the
/// hash.
///
/// # Errors
/// When there is no such open deposit, it cannot be paid on a node, or the node refuses.
pub async fn pay(running: &Running, reference: &str, units: Option<u128>) -> Result<String> {
    let deposit = find(running, reference).await?;
    let quoted = deposit.units.as_deref().map(str::parse).transpose()?;
    match (deposit.network.as_str(), deposit.currency.as_str()) {
        ("Bitcoin", "BTC") => {
            let satoshi = units.or(quoted).context("it has no quote: say how many satoshi with --units")?;
            bitcoin(&node(running, "BITCOIN_URL")?, &deposit.address, satoshi).await
        }
        ("ERC20", "USDT") => {
            token(running, ("ETHEREUM_URL", crate::nodes::ETHEREUM_USDT), &deposit, units.or(quoted)).await
        }
        ("TRC20", "USDT") => token(running, ("TRON_URL", crate::nodes::TRON_USDT), &deposit, units.or(quoted)).await,
        (network, currency) => bail!("{currency} on {network} has no node here"),
    }
}

async fn find(running: &Running, reference: &str) -> Result<Deposit> {
    let url = running.databases.get("wallet").context("no database of the wallet")?;
    let prefix = reference.trim_start_matches("TNX-").to_lowercase();
    ensure!(prefix.len() >= 6, "a reference is TNX- and six characters");
    let mut found: Vec<Deposit> = Vec::new();
    for mut wallet in connect_each(url).await? {
        let open = sqlx::query_as(
            "SELECT currency, network, method_address AS address, amount_cents, units::text FROM transactions
             WHERE starts_with(id::text, $1) AND kind IN ('deposit', 'course', 'fee') AND status = 'pending'",
        );
        found.extend(open.bind(&prefix).fetch_all(&mut wallet).await?);
    }
    ensure!(found.len() <= 1, "several open deposits begin with {reference}: name more of the id");
    found.pop().with_context(|| format!("no open deposit {reference}"))
}

pub fn node(running: &Running, setting: &str) -> Result<Rpc> {
    let url =
        running.nodes.get(setting).context("its chain has no node here: is it installed, and STACK_CHAINS on?")?;
    Rpc::new(url.clone())
}

async fn bitcoin(node: &Rpc, address: &str, satoshi: u128) -> Result<String> {
    let to = regtest(node, address).await?;
    let amount = crate::nodes::coins(u64::try_from(satoshi)?);
    let wallet = node.below(&format!("wallet/{MINER}"))?;
    let sent = wallet.call("send", json!([{ to: amount }, null, "unset", 10])).await?;
    Ok(sent["txid"].as_str().context("a hash")?.to_owned())
}

/// How the test network writes the script of a segwit address.
///
/// # Errors
/// When it is malformed, or the node refuses.
pub async fn regtest(node: &Rpc, address: &str) -> Result<String> {
    let decoded = node.call("decodescript", json!([segwit_script(address)?])).await?;
    Ok(decoded["address"].as_str().context("the node knows no address of this script")?.to_owned())
}

pub fn segwit_script(address: &str) -> Result<String> {
    let (_, version, program) = bech32::segwit::decode(address).context("only segwit addresses can be paid here")?;
    let opcode = if version.to_u8() == 0 { 0 } else { 0x50 + version.to_u8() };
    Ok(format!("{opcode:02x}{:02x}{}", program.len(), hex::encode(program)))
}

async fn token(
    running: &Running,
    (setting, contract): (&str, &str),
    deposit: &Deposit,
    units: Option<u128>,
) -> Result<String> {
    let node = node(running, setting)?;
    let to = account(&deposit.address)?;
    // Without a quote, as if it were worth a dollar.
    let cents = u128::try_from(deposit.amount_cents)?;
    let units = units.unwrap_or(cents * 10_u128.pow(USDT_DECIMALS - 2));
    let mint = call_data("40c10f19", &[address_word(RICH), number_word(units)]);
    let mut hash = String::new();
    for data in [mint, transfer_data(&to, units)] {
        let transaction = json!([{ "from": RICH, "to": contract, "data": data, "gas": "0x7a120" }]);
        let sent = node.call("eth_sendTransaction", transaction).await?;
        hash = sent.as_str().context("a hash")?.to_owned();
    }
    Ok(hash)
}

/// An address of Ethereum or Tron as 20 bytes.
///
/// # Errors
/// When it is malformed.
pub fn account(address: &str) -> Result<String> {
    if address.starts_with("0x") {
        return Ok(address.to_lowercase());
    }
    let bytes = bs58::decode(address).with_check(None).into_vec().context("no address of Tron")?;
    let account = bytes.get(1..).context("no address of Tron")?;
    Ok(hex::encode_prefixed(account))
}

#[cfg(test)]
mod tests {
    use super::{account, segwit_script};

    #[test]
    fn addresses_are_what_the_nodes_take() {
        let script = segwit_script("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4").expect("an address");
        assert_eq!(script, "0014751e76e8199196d454941c45d1b3a323f1433bd6");
        let tether = account("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t").expect("an address");
        assert_eq!(tether, crate::nodes::TRON_USDT);
        account("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T").expect_err("a wrong checksum");
    }
}
