//! The JSON-RPC of Ethereum, which Tron nodes offer too.

use std::collections::{BTreeMap, BTreeSet};

use chassis::money::Units;
use futures::{StreamExt, TryStreamExt};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::rpc::{ChainError, Rpc};
use crate::domain::address;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Block, Fate, Found, Key, Observation, Search, Tip, Watched, Way};

/// The topic of `Transfer(address,address,uint256)`.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// The most blocks and addresses in one query for logs; nodes refuse more.
const RANGE: i64 = 2_000;
const ADDRESSES: usize = 500;
/// Calls at once.
const PARALLEL: usize = 8;
/// The depth at which a block of Ethereum is final if the node does not report finality.
const DEPTH: i64 = 64;

/// A node of one EVM chain.
#[derive(Debug, Clone)]
pub struct EvmRpc {
    rpc: Rpc,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ethereum,
    Tron,
}

#[derive(Debug, Clone, Deserialize)]
struct Header {
    number: String,
    hash: String,
    timestamp: String,
    #[serde(default)]
    transactions: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    address: String,
    topics: Vec<String>,
    data: String,
    #[serde(default)]
    transaction_hash: String,
    #[serde(default)]
    removed: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Receipt {
    status: String,
    block_hash: String,
    block_number: String,
    logs: Vec<Log>,
    #[serde(default)]
    gas_used: Option<String>,
    #[serde(default)]
    effective_gas_price: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Transaction {
    from: String,
    #[serde(default)]
    to: Option<String>,
    value: String,
    #[serde(default)]
    block_number: Option<String>,
}

impl EvmRpc {
    /// The node at this address.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(kind: Kind, url: Url) -> anyhow::Result<Self> {
        Ok(Self { rpc: Rpc::new(url)?, kind })
    }

    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.kind {
            Kind::Ethereum => "ethereum",
            Kind::Tron => "tron",
        }
    }

    #[must_use]
    pub const fn format(&self) -> Format {
        match self.kind {
            Kind::Ethereum => Format::Evm,
            Kind::Tron => Format::Tron,
        }
    }

    const fn chain_id(&self) -> i64 {
        match self.kind {
            Kind::Ethereum => 1,
            Kind::Tron => 0x2b66_53dc,
        }
    }

    /// How old the newest block may be.
    const fn fresh(&self) -> Duration {
        match self.kind {
            Kind::Ethereum => Duration::minutes(2),
            Kind::Tron => Duration::minutes(1),
        }
    }

    pub(super) async fn tip(&self, now: OffsetDateTime) -> Result<Tip, ChainError> {
        let id: String = self.rpc.call("eth_chainId", json!([])).await?;
        if number(&id)? != self.chain_id() {
            return Err(ChainError::WrongChain);
        }
        let block = self.block("latest").await?.ok_or(ChainError::Stale)?.block()?;
        if now - block.at > self.fresh() {
            return Err(ChainError::Stale);
        }
        let told = match self.block("finalized").await {
            Ok(found) => found.map(|header| header.block()).transpose()?.map(|final_one| final_one.height),
            Err(ChainError::Refused { .. }) if self.kind == Kind::Ethereum => None,
            Err(error) => return Err(error),
        };
        let final_height = told.unwrap_or(block.height - DEPTH).min(block.height);
        Ok(Tip { block, final_height: Some(final_height) })
    }

    async fn block(&self, which: &str) -> Result<Option<Header>, ChainError> {
        self.rpc.call("eth_getBlockByNumber", json!([which, false])).await
    }

    pub(super) async fn payments_above(
        &self,
        height: i64,
        tip: &Tip,
        search: Search<'_>,
    ) -> Result<Vec<Observation>, ChainError> {
        let mut txids = BTreeSet::new();
        let mut from = height + 1;
        while from <= tip.block.height {
            let to = tip.block.height.min(from + RANGE - 1);
            txids.append(&mut self.transfers((from, to), search).await?);
            from = to + 1;
        }
        if search.coin {
            txids.append(&mut self.coins((height + 1, tip.block.height), search).await?);
        }
        let found = futures::stream::iter(txids)
            .map(|txid| async move { self.transaction(&txid, search).await })
            .buffered(PARALLEL);
        let found: Vec<_> = found.try_collect().await?;
        Ok(found.into_iter().flatten().flat_map(|found| found.payments).collect())
    }

    /// The transactions with transfers of our tokens from or to our addresses.
    async fn transfers(&self, range: (i64, i64), search: Search<'_>) -> Result<BTreeSet<String>, ChainError> {
        let contracts: Vec<_> = search.contracts.iter().filter_map(|contract| self.bytes(contract)).collect();
        let mut txids = BTreeSet::new();
        if contracts.is_empty() {
            return Ok(txids);
        }
        for part in search.watched.chunks(ADDRESSES) {
            let ours: Vec<_> = part.iter().map(|one| format!("0x{:0>64}", one.script)).collect();
            for topics in [json!([TRANSFER, null, ours]), json!([TRANSFER, ours])] {
                txids.append(&mut self.logs(range, &contracts, &topics).await?);
            }
        }
        Ok(txids)
    }

    /// The transactions with logs in a range of blocks, which is halved if the node refuses it.
    async fn logs(
        &self,
        range: (i64, i64),
        contracts: &[String],
        topics: &Value,
    ) -> Result<BTreeSet<String>, ChainError> {
        let (mut txids, mut ranges) = (BTreeSet::new(), vec![range]);
        while let Some((from, to)) = ranges.pop() {
            let filter = json!([{
                "fromBlock": format!("0x{from:x}"), "toBlock": format!("0x{to:x}"), "address": contracts, "topics": topics,
            }]);
            match self.rpc.call::<Vec<Log>>("eth_getLogs", filter).await {
                Ok(logs) => {
                    txids.extend(logs.into_iter().filter(|log| !log.removed).map(|log| log.transaction_hash));
                }
                Err(ChainError::Refused { .. } | ChainError::TooLong | ChainError::Late) if from < to => {
                    let middle = from.midpoint(to);
                    ranges.extend([(from, middle), (middle + 1, to)]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(txids)
    }

    /// The transactions that move the coin of the chain from or to our addresses.
    async fn coins(&self, (from, to): (i64, i64), search: Search<'_>) -> Result<BTreeSet<String>, ChainError> {
        let blocks = futures::stream::iter(from..=to)
            .map(|height| async move {
                let block = self.rpc.call("eth_getBlockByNumber", json!([format!("0x{height:x}"), true]));
                block.await.map(|header: Option<Header>| header.map(|header| header.transactions).unwrap_or_default())
            })
            .buffered(PARALLEL);
        let blocks: Vec<_> = blocks.try_collect().await?;
        let is_ours = |account: &Value| {
            let digits = account.as_str().and_then(bytes_of).unwrap_or_default();
            search.ours(&digits).is_some()
        };
        // What an address of ours sends costs a fee, whatever it moves.
        let moves = |one: &&Value| is_ours(&one["from"]) || one["value"] != "0x0" && is_ours(&one["to"]);
        let hash = |one: &Value| one["hash"].as_str().map(str::to_owned);
        Ok(blocks.iter().flatten().filter(moves).filter_map(hash).collect())
    }

    pub(super) async fn transaction(&self, txid: &str, search: Search<'_>) -> Result<Option<Found>, ChainError> {
        let hash = format!("0x{}", txid.trim_start_matches("0x"));
        let found: Option<Transaction> = self.rpc.call("eth_getTransactionByHash", json!([hash])).await?;
        let Some(transaction) = found else { return Ok(None) };
        if transaction.block_number.is_none() {
            return Ok(Some(Found { fate: Fate::Waiting, payments: Vec::new(), worthless: false }));
        }
        let receipt: Option<Receipt> = self.rpc.call("eth_getTransactionReceipt", json!([hash])).await?;
        let receipt = receipt.ok_or(ChainError::Contradiction("a transaction in a block has no receipt"))?;
        let header = self.block(&receipt.block_number).await?;
        let header = header.ok_or(ChainError::Contradiction("the block of a receipt is missing"))?;
        if header.hash != receipt.block_hash {
            return Err(ChainError::Contradiction("a receipt is of another block than the one at its height"));
        }
        let fate = Fate::In(header.block()?);
        let mut seen = Reading {
            search,
            node: self,
            txid: bytes_of(&hash).unwrap_or_default(),
            fate: &fate,
            found: Vec::new(),
            worthless: false,
        };
        seen.fee(&transaction, &receipt)?;
        let is_done = receipt.status == "0x1";
        if is_done {
            seen.read(&transaction, &receipt)?;
        }
        let Reading { found: payments, worthless, .. } = seen;
        let fate = match fate {
            Fate::In(block) if !is_done => Fate::Failed(block),
            fate => fate,
        };
        Ok(Some(Found { fate, payments, worthless }))
    }

    pub(super) async fn balances(&self, search: Search<'_>) -> Result<Vec<Balance>, ChainError> {
        let coin = search.coin.then(String::new);
        let assets: Vec<_> = search.contracts.iter().cloned().chain(coin).collect();
        let wanted: Vec<_> = search
            .watched
            .iter()
            .flat_map(|one| assets.iter().map(|contract| (one.clone(), contract.clone())))
            .collect();
        let balances = futures::stream::iter(wanted)
            .map(|(one, contract)| async move {
                let units = self.balance(&one, &contract).await?;
                Ok(Balance { contract, address: one.address, units })
            })
            .buffered(PARALLEL);
        balances.try_collect().await
    }

    async fn balance(&self, address: &Watched, contract: &str) -> Result<Units, ChainError> {
        let account = format!("0x{}", address.script);
        let balance: String = match self.bytes(contract) {
            None if contract.is_empty() => self.rpc.call("eth_getBalance", json!([account, "latest"])).await?,
            None => return Err(ChainError::Contradiction("the contract of a token is no address")),
            Some(to) => {
                let data = format!("0x70a08231{:0>64}", address.script);
                self.rpc.call("eth_call", json!([{ "to": to, "data": data }, "latest"])).await?
            }
        };
        // A contract that does not exist answers with nothing.
        let balance = if balance == "0x" { "0x0" } else { &balance };
        units(balance)?.ok_or_else(|| ChainError::Unreadable("a balance is too large".to_owned()))
    }

    /// A contract as its 20 bytes.
    fn bytes(&self, contract: &str) -> Option<String> {
        address::script(self.format(), contract).map(|digits| format!("0x{digits}"))
    }
}

/// Collects the payments of a transaction.
struct Reading<'a> {
    search: Search<'a>,
    node: &'a EvmRpc,
    txid: String,
    fate: &'a Fate,
    found: Vec<Observation>,
    worthless: bool,
}

impl Reading<'_> {
    fn read(&mut self, transaction: &Transaction, receipt: &Receipt) -> Result<(), ChainError> {
        let known: BTreeMap<_, _> =
            self.search.contracts.iter().filter_map(|one| Some((self.node.bytes(one)?, one))).collect();
        // By its position among those of the transaction: its number in the block changes when the block does.
        for (index, log) in receipt.logs.iter().enumerate() {
            let [topic, from, to] = &log.topics[..] else { continue };
            if topic != TRANSFER {
                continue;
            }
            let contract = known.get(&log.address.to_ascii_lowercase()).map(|contract| contract.as_str());
            self.moved((index, contract), (account_of(from), account_of(to)), &log.data)?;
        }
        let (from, to) = (bytes_of(&transaction.from), transaction.to.as_deref().and_then(bytes_of));
        if number_is_zero(&transaction.value) {
            return Ok(());
        }
        // The coin comes after all logs.
        self.moved((receipt.logs.len(), Some("")), (from, to), &transaction.value)
    }

    /// The fee of a transaction from our addresses, also of a failed one, if the coin of the chain is searched for.
    fn fee(&mut self, transaction: &Transaction, receipt: &Receipt) -> Result<(), ChainError> {
        let payer = bytes_of(&transaction.from).and_then(|digits| self.search.ours(&digits));
        let (Some(payer), true) = (payer, self.search.coin) else { return Ok(()) };
        let (Some(used), Some(price)) = (&receipt.gas_used, &receipt.effective_gas_price) else { return Ok(()) };
        let (used, price) = (units(used)?, units(price)?);
        let fee = used.zip(price).and_then(|(used, price)| used.get().checked_mul(price.get()));
        let fee = fee.and_then(|fee| Units::new(fee).ok());
        let fee = fee.ok_or_else(|| ChainError::Unreadable("a fee".to_owned()))?;
        if fee.get() > 0 {
            self.found.push(Observation {
                key: Key { txid: self.txid.clone(), index: 0, way: Way::Fee },
                contract: String::new(),
                address: payer.address.clone(),
                counterparty: String::new(),
                units: fee,
                fate: self.fate.clone(),
            });
        }
        Ok(())
    }

    fn moved(
        &mut self,
        (index, contract): (usize, Option<&str>),
        (from, to): (Option<String>, Option<String>),
        value: &str,
    ) -> Result<(), ChainError> {
        let ours = |account: &Option<String>| self.search.ours(account.as_deref().unwrap_or_default());
        let sides = match (ours(&from), ours(&to)) {
            // Between our own addresses.
            (Some(_), Some(_)) | (None, None) => return Ok(()),
            (Some(from), None) => (Way::Out, from, to),
            (None, Some(to)) => (Way::In, to, from),
        };
        let units = units(value)?.filter(|units| units.get() > 0);
        let (Some(contract), Some(units)) = (contract, units) else {
            self.worthless = true;
            return Ok(());
        };
        let (way, address, other) = sides;
        let index = i32::try_from(index).map_err(|_| ChainError::Unreadable("too many logs".to_owned()))?;
        let counterparty =
            other.and_then(|digits| address::of_account(self.node.format(), &digits)).unwrap_or_default();
        self.found.push(Observation {
            key: Key { txid: self.txid.clone(), index, way },
            contract: contract.to_owned(),
            address: address.address.clone(),
            counterparty,
            units,
            fate: self.fate.clone(),
        });
        Ok(())
    }
}

impl Header {
    fn block(&self) -> Result<Block, ChainError> {
        let at = OffsetDateTime::from_unix_timestamp(number(&self.timestamp)?);
        let at = at.map_err(|_| ChainError::Unreadable("the time of a block".to_owned()))?;
        Ok(Block { height: number(&self.number)?, hash: self.hash.trim_start_matches("0x").to_owned(), at })
    }
}

fn number(text: &str) -> Result<i64, ChainError> {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    i64::from_str_radix(digits, 16).map_err(|_| ChainError::Unreadable("a number".to_owned()))
}

fn number_is_zero(text: &str) -> bool {
    text.trim_start_matches("0x").bytes().all(|byte| byte == b'0')
}

/// A word as units; `None` if it does not fit.
fn units(text: &str) -> Result<Option<Units>, ChainError> {
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
fn bytes_of(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x")?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| digits.to_ascii_lowercase())
}

/// The account in a topic: the last 20 bytes of a word.
fn account_of(topic: &str) -> Option<String> {
    bytes_of(topic)?.get(24..).map(str::to_owned)
}
