//! What a node answers, and how it writes numbers and accounts.

use chassis::money::Units;
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::clients::rpc::ChainError;
use crate::domain::payment::{Block, Call};

/// The topic of `Transfer(address,address,uint256)`.
pub(super) const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Header {
    pub(super) number: String,
    pub(super) hash: String,
    #[serde(default, rename = "parentHash")]
    pub(super) parent_hash: String,
    pub(super) timestamp: String,
    #[serde(default)]
    pub(super) transactions: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    pub(super) address: String,
    pub(super) topics: Vec<String>,
    pub(super) data: String,
    #[serde(default)]
    pub(super) transaction_hash: String,
    #[serde(default)]
    pub(super) block_hash: String,
    #[serde(default)]
    pub(super) removed: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Receipt {
    pub(super) status: String,
    pub(super) block_hash: String,
    pub(super) block_number: String,
    pub(super) logs: Vec<Log>,
    #[serde(default)]
    pub(super) gas_used: Option<String>,
    #[serde(default)]
    pub(super) effective_gas_price: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Transaction {
    pub(super) from: String,
    #[serde(default)]
    pub(super) to: Option<String>,
    pub(super) value: String,
    #[serde(default)]
    pub(super) input: String,
    #[serde(default)]
    pub(super) block_number: Option<String>,
}

impl Transaction {
    /// A contract is created, or called: only calls have an input.
    pub(super) fn call(&self) -> Call {
        let is_call = self.to.is_none() || !matches!(self.input.as_str(), "" | "0x");
        match (is_call, number_is_zero(&self.value)) {
            (false, _) => Call::Nothing,
            (true, true) => Call::WithoutValue,
            (true, false) => Call::WithValue,
        }
    }
}

impl Header {
    pub(super) fn block(&self) -> Result<Block, ChainError> {
        let at = OffsetDateTime::from_unix_timestamp(number(&self.timestamp)?);
        let at = at.map_err(|_| ChainError::Unreadable("the time of a block".to_owned()))?;
        Ok(Block { height: number(&self.number)?, hash: self.hash.trim_start_matches("0x").to_owned(), at })
    }
}

pub(super) fn number(text: &str) -> Result<i64, ChainError> {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    i64::from_str_radix(digits, 16).map_err(|_| ChainError::Unreadable("a number".to_owned()))
}

pub(super) fn number_is_zero(text: &str) -> bool {
    text.trim_start_matches("0x").bytes().all(|byte| byte == b'0')
}

/// A word as units; `None` if it does not fit.
pub(super) fn units(text: &str) -> Result<Option<Units>, ChainError> {
    let unreadable = || ChainError::Unreadable("an amount".to_owned());
    let digits = text.strip_prefix("0x").ok_or_else(unreadable)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) || digits.len() > 64 {
        return Err(unreadable());
    }
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Units::new(0).map(Some).map_err(|_| unreadable());
    }
    Ok(i128::from_str_radix(significant, 16).ok().and_then(|units| Units::new(units).ok()))
}

/// Hexadecimal digits in lower case, without `0x`.
pub(super) fn bytes_of(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x")?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| digits.to_ascii_lowercase())
}

/// The account in a topic: the last 20 bytes of a word.
pub(super) fn account_of(topic: &str) -> Option<String> {
    bytes_of(topic)?.get(24..).map(str::to_owned)
}
