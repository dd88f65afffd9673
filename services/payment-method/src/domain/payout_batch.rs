//! Several payouts of one asset in one transaction, or as files for the signers of treasuries (D-N5).

use std::collections::BTreeSet;
use std::str::FromStr;

use alloy_primitives::{Address as Account, keccak256};
use chassis::error::Refusal;
use chassis::money::Units;
use miniscript::bitcoin::{Amount, ScriptBuf, Transaction, TxOut};
use serde_json::{Value, json};

use super::address;
use super::network::{self, Format};

/// Payouts in one transaction.
pub const MOST: usize = 20;
/// What the network may get: this share of what is paid, or this many satoshi if that is more.
const FEE_SHARE: u64 = 50;
const FEE_SATOSHI: u64 = 200_000;
/// The selector of `transfer(address,uint256)`.
const TRANSFER: &str = "a9059cbb";
/// The version of Safe's transaction builder whose files these are like.
const BUILDER: &str = "1.18.2";
/// Digits after the point of a bitcoin.
const BITCOIN_DECIMALS: u8 = 8;

/// Where to and how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payout {
    pub address: String,
    pub units: Units,
    /// Of a token; empty for the coin of the chain.
    pub contract: String,
    pub decimals: u8,
}

/// A file for a program that signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub content_type: &'static str,
    pub content: String,
}

/// Where a signed transaction pays the payouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// The output of each, in their order.
    pub outputs: Vec<u32>,
    /// The scripts of the other outputs: all of them have to be the treasury's own.
    pub others: Vec<ScriptBuf>,
}

/// A signed transaction that is not sent.
fn refused(sentence: impl Into<String>) -> Refusal {
    Refusal::field("psbt", sentence)
}

/// Refuses an invalid batch: no payouts, too many, or two payouts to one address, which could not be distinguished.
///
/// # Errors
/// Invalid on the field `payouts`.
pub fn check(network: &str, payouts: &[Payout]) -> Result<(), Refusal> {
    if payouts.is_empty() || payouts.len() > MOST {
        return Err(Refusal::field("payouts", format!("Choose 1 to {MOST} payouts.")));
    }
    let format = network::format(network);
    let mut known = BTreeSet::new();
    for one in payouts {
        let script = address::script(format, &one.address).unwrap_or_else(|| one.address.clone());
        if !known.insert(script) {
            let sentence = format!("Two of these payouts go to {}. Pay one of them by itself.", one.address);
            return Err(Refusal::field("payouts", sentence));
        }
    }
    Ok(())
}

/// The outputs of payouts in bitcoin.
///
/// # Errors
/// Invalid for a malformed address, and for an amount out of range.
pub fn outputs(payouts: &[Payout]) -> Result<Vec<TxOut>, Refusal> {
    let output = |one: &Payout| {
        let script = address::script(Format::Bitcoin, &one.address).and_then(|hex| ScriptBuf::from_hex(&hex).ok())?;
        let value = Amount::from_sat(u64::try_from(one.units.get()).ok()?);
        Some(TxOut { value, script_pubkey: script })
    };
    let bad = |one: &Payout| Refusal::field("payouts", format!("{} cannot be paid in a batch.", one.address));
    payouts.iter().map(|one| output(one).ok_or_else(|| bad(one))).collect()
}

/// Finds each payout in a transaction: once, and with exactly its amount.
///
/// # Errors
/// Invalid on the field `psbt`, if one is missing, is there twice or has another amount.
pub fn matched(transaction: &Transaction, payouts: &[Payout], wanted: &[TxOut]) -> Result<Matched, Refusal> {
    let mut found = Vec::new();
    for (payout, output) in payouts.iter().zip(wanted) {
        let to = &payout.address;
        let same = |(_, one): &(u32, &TxOut)| one.script_pubkey == output.script_pubkey;
        let paid: Vec<_> = (0..).zip(&transaction.output).filter(same).collect();
        match paid[..] {
            [(index, one)] if one.value == output.value => found.push(index),
            [(_, one)] => {
                return Err(refused(format!(
                    "The signed transaction pays {} to {to} instead of {}. Nothing was sent.",
                    bitcoins(one.value),
                    bitcoins(output.value)
                )));
            }
            [] => return Err(refused(format!("The signed transaction does not pay {to}. Nothing was sent."))),
            _ => return Err(refused(format!("The signed transaction pays {to} more than once. Nothing was sent."))),
        }
    }
    let other = |(index, one): (u32, &TxOut)| (!found.contains(&index)).then(|| one.script_pubkey.clone());
    let others = (0..).zip(&transaction.output).filter_map(other).collect();
    Ok(Matched { outputs: found, others })
}

/// The refusal of an output that is neither a payout nor the treasury's own.
#[must_use]
pub fn foreign(script: &ScriptBuf) -> Refusal {
    let to = address::of_bitcoin_script(&script.to_hex_string());
    let to = to.unwrap_or_else(|| "a script without an address".to_owned());
    refused(format!("The signed transaction also pays {to}, which is not the treasury's. Nothing was sent."))
}

/// Refuses a fee that only a mistake explains.
///
/// # Errors
/// Invalid on the field `psbt`.
pub fn check_fee(fee: Amount, wanted: &[TxOut]) -> Result<(), Refusal> {
    let paid = wanted.iter().fold(0_u64, |sum, output| sum.saturating_add(output.value.to_sat()));
    let most = Amount::from_sat((paid / FEE_SHARE).max(FEE_SATOSHI));
    if fee <= most {
        return Ok(());
    }
    let (fee, most) = (bitcoins(fee), bitcoins(most));
    Err(refused(format!("The transaction pays {fee} to the network, at most {most} is allowed. Nothing was sent.")))
}

fn bitcoins(amount: Amount) -> String {
    let units = Units::new(i128::from(amount.to_sat())).unwrap_or_default();
    format!("{} BTC", units.whole(BITCOIN_DECIMALS))
}

/// The files for a network: a list that programs for many payouts at once read, and on Ethereum one for a Safe.
///
/// # Errors
/// Invalid for a malformed address.
pub fn files(network: &str, payouts: &[Payout], at_ms: i64) -> Result<Vec<File>, Refusal> {
    let chain = network::chain(network).unwrap_or_default();
    let mut files = Vec::new();
    if chain == "ethereum" {
        let content = safe(payouts, at_ms).ok_or_else(|| Refusal::field("payouts", "An address cannot be paid."))?;
        files.push(File { name: "payouts-safe.json".to_owned(), content_type: "application/json", content });
    }
    let content = csv(network::format(network), payouts);
    files.push(File { name: "payouts.csv".to_owned(), content_type: "text/csv", content });
    Ok(files)
}

/// Address and whole units on each line; on Ethereum with the columns of Safe's CSV app.
fn csv(format: Format, payouts: &[Payout]) -> String {
    let is_evm = format == Format::Evm;
    let header = if is_evm { "token_type,token_address,receiver,amount\n" } else { "" };
    let line = |Payout { address, units, contract, decimals }: &Payout| {
        let token = match contract.as_str() {
            _ if !is_evm => String::new(),
            "" => "native,,".to_owned(),
            contract => format!("erc20,{contract},"),
        };
        format!("{token}{address},{}\n", units.whole(*decimals))
    };
    std::iter::once(header.to_owned()).chain(payouts.iter().map(line)).collect()
}

/// A file of Safe's transaction builder: a transfer for each payout, with the checksum that the builder compares.
fn safe(payouts: &[Payout], at_ms: i64) -> Option<String> {
    let transactions: Option<Vec<_>> = payouts.iter().map(transfer).collect();
    let mut file = json!({
        "version": "1.0",
        "chainId": "1",
        "createdAt": at_ms,
        "meta": {
            "name": format!("{} payouts", payouts.len()),
            "description": "",
            "txBuilderVersion": BUILDER,
            "createdFromSafeAddress": "",
            "createdFromOwnerAddress": "",
        },
        "transactions": transactions?,
    });
    file["meta"]["checksum"] = json!(checksum(&file));
    serde_json::to_string_pretty(&file).ok()
}

fn transfer(payout: &Payout) -> Option<Value> {
    let to = Account::from_str(&payout.address).ok()?;
    let units = payout.units.get();
    let (to, value, data) = if payout.contract.is_empty() {
        (to, units.to_string(), None)
    } else {
        let digits = to.to_string().trim_start_matches("0x").to_ascii_lowercase();
        let data = format!("0x{TRANSFER}{digits:0>64}{units:064x}");
        (Account::from_str(&payout.contract).ok()?, "0".to_owned(), Some(data))
    };
    let to = to.to_checksum(None);
    Some(json!({ "to": to, "value": value, "data": data, "contractMethod": null, "contractInputsValues": null }))
}

/// Keccak-256 of the file without its name, in the order of the builder: the sorted names of an object, then its values.
fn checksum(file: &Value) -> String {
    let mut unnamed = file.clone();
    unnamed["meta"]["name"] = Value::Null;
    keccak256(serialized(&unnamed)).to_string()
}

fn serialized(value: &Value) -> String {
    match value {
        Value::Array(all) => format!("[{}]", all.iter().map(serialized).collect::<Vec<_>>().join(",")),
        Value::Object(parts) => {
            let names: BTreeSet<_> = parts.keys().collect();
            let values: String = names.iter().map(|name| format!("{},", serialized(&value[name.as_str()]))).collect();
            format!("{{{}{values}}}", json!(names))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::Units;
    use miniscript::bitcoin::absolute::LockTime;
    use miniscript::bitcoin::transaction::Version;
    use miniscript::bitcoin::{Amount, ScriptBuf, Transaction, TxOut};
    use serde_json::Value;

    use super::{Payout, check, check_fee, checksum, files, matched, outputs};

    const ONE: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    const OTHER: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
    const ACCOUNT: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const USDT: &str = "0xdac17f958d2ee523a2206206994597c13d831ec7";

    fn payout(address: &str, units: i128, contract: &str, decimals: u8) -> Payout {
        let units = Units::new(units).expect("units");
        Payout { address: address.to_owned(), units, contract: contract.to_owned(), decimals }
    }

    fn paying(outputs: Vec<TxOut>) -> Transaction {
        Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input: Vec::new(), output: outputs }
    }

    /// [D-N5] Each payout is found once, with its amount and nothing else; all other outputs are returned to be looked at.
    #[test]
    fn a_transaction_pays_each_payout_once() {
        let payouts = [payout(ONE, 5_000, "", 8), payout(OTHER, 7_000, "", 8)];
        let wanted = outputs(&payouts).expect("outputs");
        let change = TxOut { value: Amount::from_sat(1), script_pubkey: ScriptBuf::from_hex("51").expect("a script") };
        let good = paying(vec![wanted[1].clone(), change.clone(), wanted[0].clone()]);
        let found = matched(&good, &payouts, &wanted).expect("it pays them");
        assert_eq!((found.outputs, found.others), (vec![2, 0], vec![change.script_pubkey.clone()]));
        let less = TxOut { value: Amount::from_sat(6_999), ..wanted[1].clone() };
        for (outputs, part) in [
            (
                vec![wanted[0].clone(), less],
                "pays 0.00006999 BTC to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa instead of 0.00007 BTC",
            ),
            (vec![wanted[0].clone(), change], "does not pay 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
            (vec![wanted[0].clone(), wanted[1].clone(), wanted[0].clone()], "more than once"),
        ] {
            let refusal = matched(&paying(outputs), &payouts, &wanted).expect_err("it does not");
            assert!(refusal.message.contains(part), "{}", refusal.message);
        }
    }

    /// [D-N5] A batch is neither empty nor endless, and its payouts can be distinguished. A fee is bounded.
    #[test]
    fn a_batch_is_bounded() {
        let one = payout(ONE, 20_000_000, "", 8);
        check("Bitcoin", std::slice::from_ref(&one)).expect("a batch");
        check("Bitcoin", &[]).expect_err("nothing");
        check("Bitcoin", &vec![one.clone(); 21]).expect_err("too many");
        check("Bitcoin", &[one.clone(), payout(&ONE.to_uppercase(), 1, "", 8)]).expect_err("one address");
        let wanted = outputs(&[one]).expect("outputs");
        check_fee(Amount::from_sat(400_000), &wanted).expect("two percent");
        check_fee(Amount::from_sat(400_001), &wanted).expect_err("more");
    }

    /// [D-N5] The transactions of a file pay exactly; the checksum is that of a file which Safe's transaction builder wrote.
    #[test]
    fn files_pay_exactly() {
        let payouts = [payout(ACCOUNT, 2_924_440_780, USDT, 6), payout(ACCOUNT, 1_500_000_000_000_000_000, "", 18)];
        let all = files("ERC20", &payouts, 1_761_326_849_944).expect("files");
        let safe: Value = serde_json::from_str(&all[0].content).expect("JSON");
        let [token, coin] = safe["transactions"].as_array().expect("transactions").as_slice() else { panic!("two") };
        assert_eq!(token["to"], "0xdAC17F958D2ee523a2206206994597C13D831ec7");
        let transfer = "0xa9059cbb0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed\
                        00000000000000000000000000000000000000000000000000000000ae4f6ccc";
        assert_eq!((&token["value"], token["data"].as_str()), (&Value::from("0"), Some(transfer)));
        assert_eq!((&coin["to"], &coin["value"]), (&Value::from(ACCOUNT), &Value::from("1500000000000000000")));
        let mut unchecked = safe.clone();
        unchecked["meta"].as_object_mut().expect("an object").remove("checksum");
        assert_eq!(safe["meta"]["checksum"], Value::from(checksum(&unchecked)));
        let lines = format!(
            "token_type,token_address,receiver,amount\nerc20,{USDT},{ACCOUNT},2924.44078\nnative,,{ACCOUNT},1.5\n"
        );
        assert_eq!(all[1].content, lines);
        let tron = [payout("TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312", 1_000_000, "", 6)];
        let all = files("TRC20", &tron, 0).expect("files");
        assert_eq!((all.len(), all[0].content.as_str()), (1, "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312,1\n"));
    }

    /// [D-N5] A file that Safe's transaction builder 1.18.2 wrote, with the checksum that it computed.
    #[test]
    fn checksums_are_those_of_the_builder() {
        let file: Value = serde_json::from_str(include_str!("../../tests/safe-batch.json")).expect("JSON");
        let mut unchecked = file.clone();
        unchecked["meta"].as_object_mut().expect("an object").remove("checksum");
        assert_eq!(file["meta"]["checksum"], Value::from(checksum(&unchecked)));
    }
}
