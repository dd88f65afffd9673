//! Signs payouts of a running product on its nodes, as the signer of an operator would (D-N5).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};

use crate::{
    nodes::{Rpc, address_word, call_data, number_word, transfer_data},
    running::Running,
    treasurer::pay::{MINER, account, node},
};

/// How a PSBT begins.
const MAGIC: &[u8] = b"psbt";
const USDT_DECIMALS: usize = 6;

/// What came of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Signed {
    /// A signed transaction, to be uploaded.
    File(PathBuf),
    /// Payments that were made, by their hashes.
    Paid(Vec<String>),
}

/// Signs a file that was downloaded from the payouts page. A signed PSBT is written to a file beside it. The payments of a batch
/// file are sent at once, from the platform's address.
///
/// # Errors
/// When the file is of another kind, or a node refuses.
pub async fn sign(running: &Running, file: &Path) -> Result<Signed> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    if bytes.starts_with(MAGIC) {
        let signed = psbt(&node(running, "BITCOIN_URL")?, &STANDARD.encode(&bytes)).await?;
        let to = file.with_file_name(format!("{}-signed.psbt", file.file_stem().unwrap_or_default().display()));
        std::fs::write(&to, STANDARD.decode(signed)?)?;
        return Ok(Signed::File(to));
    }
    let text = String::from_utf8(bytes).context("neither a PSBT nor a batch file")?;
    let paid = match serde_json::from_str::<Value>(&text) {
        Ok(batch) => safe(running, &batch).await?,
        Err(_) => tron(running, &text).await?,
    };
    Ok(Signed::Paid(paid))
}

/// Signs a transaction in base64 with the keys of the treasury.
///
/// # Errors
/// When the node refuses, or it is not complete then.
pub async fn psbt(node: &Rpc, base64: &str) -> Result<String> {
    let wallet = node.below(&format!("wallet/{MINER}"))?;
    let signed = wallet.call("walletprocesspsbt", json!([base64])).await?;
    ensure!(signed["complete"] == true, "the wallet of the local stack has not all keys of this transaction");
    Ok(signed["psbt"].as_str().context("a transaction")?.to_owned())
}

/// The transactions of a file of Safe's transaction builder.
async fn safe(running: &Running, batch: &Value) -> Result<Vec<String>> {
    let transactions = batch["transactions"].as_array().context("no batch file")?;
    let calls = transactions.iter().map(|one| {
        let data = one["data"].as_str().unwrap_or("0x").to_owned();
        let value: u128 = one["value"].as_str().context("a value")?.parse()?;
        Ok((one["to"].as_str().context("an address")?.to_owned(), value, data))
    });
    make(running, ("ETHEREUM_URL", "ERC20"), &calls.collect::<Result<Vec<_>>>()?).await
}

/// Lines of an address and an amount of USDT.
async fn tron(running: &Running, text: &str) -> Result<Vec<String>> {
    let calls = text.lines().map(|line| {
        let (address, amount) = line.split_once(',').context("neither a PSBT nor a batch file")?;
        ensure!(address.starts_with('T'), "use the file for a Safe on Ethereum, and the PSBT on Bitcoin");
        Ok((crate::nodes::TRON_USDT.to_owned(), 0, transfer_data(&account(address)?, units(amount)?)))
    });
    make(running, ("TRON_URL", "TRC20"), &calls.collect::<Result<Vec<_>>>()?).await
}

fn units(amount: &str) -> Result<u128> {
    let (whole, part) = amount.split_once('.').unwrap_or((amount, ""));
    ensure!(part.len() <= USDT_DECIMALS, "{amount} has too many decimals");
    Ok(format!("{whole}{part:0<USDT_DECIMALS$}").parse()?)
}

/// Makes these calls from the address of the platform, which is watched: so they are recognised.
async fn make(
    running: &Running,
    (setting, network): (&str, &str),
    calls: &[(String, u128, String)],
) -> Result<Vec<String>> {
    let node = node(running, setting)?;
    let url = running.databases.get("payment-method").context("no database of payment-method")?;
    let address: Option<String> = sqlx::query_scalar(
        "SELECT address FROM method_versions WHERE scope = 'platform' AND network = $1 AND length(address) <= 42
         ORDER BY created_at LIMIT 1",
    )
    .bind(network)
    .fetch_optional(&mut PgConnection::connect(url).await?)
    .await?;
    let Some(address) = address else {
        bail!(
            "no platform method on {network} has an address to pay from: sweep own addresses to the cold storage first"
        )
    };
    let from = account(&address)?;
    node.call("anvil_setBalance", json!([from, "0x3635c9adc5dea00000"])).await?;
    node.call("anvil_impersonateAccount", json!([from])).await?;
    let mut hashes = Vec::new();
    for (to, value, data) in calls {
        fund(&node, &from, (to, data)).await?;
        let transaction =
            json!([{ "from": from, "to": to, "value": format!("0x{value:x}"), "data": data, "gas": "0x7a120" }]);
        let hash = node.call("eth_sendTransaction", transaction).await?;
        hashes.push(hash.as_str().context("a hash")?.to_owned());
    }
    Ok(hashes)
}

/// Gives the address the tokens that it lacks for a transfer: in the local stack, few deposits were paid for real.
async fn fund(node: &Rpc, from: &str, (token, data): (&str, &str)) -> Result<()> {
    let Some(units) = data.len().checked_sub(64).and_then(|at| data.get(at..)).filter(|_| data.len() > 64) else {
        return Ok(());
    };
    let units = u128::from_str_radix(units, 16)?;
    let asked = json!([{ "to": token, "data": call_data("70a08231", &[address_word(from)]) }, "latest"]);
    let held = node.call("eth_call", asked).await?;
    let held = u128::from_str_radix(held.as_str().context("a balance")?.trim_start_matches("0x"), 16)?;
    if held < units {
        let mint = call_data("40c10f19", &[address_word(from), number_word(units - held)]);
        let transaction = json!([{ "from": from, "to": token, "data": mint, "gas": "0x7a120" }]);
        node.call("eth_sendTransaction", transaction).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn amounts_are_read_exactly() {
        assert_eq!(units("2924.415116").expect("an amount"), 2_924_415_116);
        assert_eq!(units("1").expect("an amount"), 1_000_000);
        units("1.0000001").expect_err("too many decimals");
    }
}
