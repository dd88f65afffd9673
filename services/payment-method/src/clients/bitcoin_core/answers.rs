//! What bitcoind answers.

use chassis::money::Units;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::clients::rpc::ChainError;

/// Digits after the point of a bitcoin.
const DECIMALS: usize = 8;

#[derive(Deserialize)]
pub(super) struct ChainInfo {
    pub(super) chain: String,
    pub(super) blocks: i64,
    pub(super) bestblockhash: String,
}

#[derive(Deserialize)]
pub(super) struct BlockHeader {
    pub(super) height: i64,
    pub(super) hash: String,
    pub(super) time: i64,
    pub(super) confirmations: i64,
}

#[derive(Deserialize)]
pub(super) struct Descriptors {
    pub(super) descriptors: Vec<Descriptor>,
}

#[derive(Deserialize)]
pub(super) struct Descriptor {
    pub(super) desc: String,
}

#[derive(Deserialize)]
pub(super) struct Imported {
    pub(super) success: bool,
}

#[derive(Deserialize)]
pub(super) struct Since {
    pub(super) transactions: Vec<Listed>,
    #[serde(default)]
    pub(super) removed: Vec<Listed>,
}

#[derive(Deserialize)]
pub(super) struct Listed {
    pub(super) txid: String,
}

/// A transaction as the wallet lists it.
#[derive(Deserialize)]
pub(super) struct Known {
    pub(super) confirmations: i64,
    #[serde(default)]
    pub(super) blockhash: Option<String>,
    #[serde(default)]
    pub(super) walletconflicts: Vec<String>,
    /// Set for transactions that spend our coins; negative.
    #[serde(default)]
    pub(super) fee: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) details: Vec<Detail>,
    pub(super) decoded: Decoded,
}

#[derive(Deserialize)]
pub(super) struct Detail {
    pub(super) category: String,
    pub(super) vout: usize,
    #[serde(default)]
    pub(super) address: String,
}

#[derive(Deserialize)]
pub(super) struct Decoded {
    pub(super) vin: Vec<Input>,
    pub(super) vout: Vec<Out>,
}

#[derive(Deserialize)]
pub(super) struct Input {
    #[serde(default)]
    pub(super) txid: String,
    #[serde(default)]
    pub(super) vout: usize,
}

#[derive(Deserialize)]
pub(super) struct Out {
    pub(super) value: Box<RawValue>,
    #[serde(rename = "scriptPubKey")]
    pub(super) script: Script,
}

#[derive(Deserialize)]
pub(super) struct Script {
    pub(super) hex: String,
}

/// Any transaction of the chain, from the transaction index.
#[derive(Deserialize)]
pub(super) struct Foreign {
    #[serde(default)]
    pub(super) blockhash: Option<String>,
    pub(super) vout: Vec<Out>,
}

#[derive(Deserialize)]
pub(super) struct Index {
    pub(super) synced: bool,
}

#[derive(Deserialize)]
pub(super) struct Unspent {
    pub(super) amount: Box<RawValue>,
    #[serde(rename = "scriptPubKey")]
    pub(super) script: String,
}

/// An amount in bitcoins, parsed exactly from its digits.
pub(super) fn satoshi(value: &RawValue) -> Result<Units, ChainError> {
    satoshi_of(value.get())
}

pub(super) fn satoshi_of(text: &str) -> Result<Units, ChainError> {
    let unreadable = || ChainError::Unreadable("an amount".to_owned());
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > DECIMALS || whole.is_empty() {
        return Err(unreadable());
    }
    Units::parse(&format!("{whole}{part:0<DECIMALS$}")).map_err(|_| unreadable())
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::satoshi;

    /// [D-Q4] Amounts are parsed exactly, with any number of trailing zeros.
    #[test]
    fn bitcoins_are_read_exactly() {
        let read =
            |text: &str| satoshi(&RawValue::from_string(text.to_owned()).expect("JSON")).ok().map(|one| one.get());
        assert_eq!(read("0.00513809"), Some(513_809));
        assert_eq!(
            (read("50"), read("50.0"), read("20999999.9769")),
            (Some(5_000_000_000), Some(5_000_000_000), Some(2_099_999_997_690_000))
        );
        for wrong in ["-1.0", "1e-8", "0.123456789", "\"1\"", "null"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
