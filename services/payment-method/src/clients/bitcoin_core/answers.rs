//! What bitcoind answers.

use serde::Deserialize;
use serde_json::value::RawValue;

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
