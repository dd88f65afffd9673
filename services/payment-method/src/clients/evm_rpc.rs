//! The JSON-RPC of Ethereum, which Tron nodes offer too.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chassis::money::Units;
use futures::{StreamExt, TryStreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

use super::rpc::{ChainError, Endpoint, Rpc};
use crate::domain::address;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Block, Call, Fate, Found, Key, Observation, Search, Tip, Watched, Way};

/// The topic of `Transfer(address,address,uint256)`.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// The most blocks and addresses in one query for logs; nodes refuse more.
const RANGE: i64 = 2_000;
const ADDRESSES: usize = 500;
/// With more addresses than this, all transfers of our tokens are asked for: that costs fewer calls.
const MANY: usize = 2_000;
/// The newest blocks that are read again for addresses that are new: such an address may have been paid to at once.
const NEWEST: i64 = 8;
/// Calls at once.
const PARALLEL: usize = 8;
/// For how long a node is taken to be on the chain that it was seen on.
const VERIFIED: Duration = Duration::HOUR;
/// How often it is asked what is final, while nothing waits for it.
const FINALITY: Duration = Duration::seconds(30);

/// A node of one EVM chain.
#[derive(Debug, Clone)]
pub struct EvmRpc {
    rpc: Rpc,
    kind: Kind,
    memory: Arc<Mutex<Memory>>,
}

/// What a node said, so that each block and each transaction in it is read once.
#[derive(Debug, Default)]
struct Memory {
    /// When the node was seen on the right chain.
    verified_at: Option<OffsetDateTime>,
    /// Up to which height blocks were final, and when that was asked.
    finality: Option<(i64, OffsetDateTime)>,
    /// How many blocks a query for logs may span: what the node accepted last.
    range: Option<i64>,
    /// What was searched for; anything else makes the rest worthless.
    search: u64,
    /// For how many own addresses of members, to which only some are added.
    derived: usize,
    /// Above which height and at which newest block payments were searched for last, and what was found.
    last: Option<(i64, String, Vec<Observation>)>,
    /// By transaction and block.
    found: BTreeMap<(String, String), Found>,
    /// By height, each the parent of the next.
    blocks: BTreeMap<i64, Read>,
}

/// A block that was read for the coin of the chain.
#[derive(Debug, Clone)]
struct Read {
    hash: String,
    parent: String,
    /// Those that move the coin from or to our addresses.
    txids: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ethereum,
    Tron,
}

impl Kind {
    /// As `chassis::network` names the chain.
    const fn name(self) -> &'static str {
        match self {
            Self::Ethereum => "ethereum",
            Self::Tron => "tron",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
struct Header {
    number: String,
    hash: String,
    #[serde(default, rename = "parentHash")]
    parent_hash: String,
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
    block_hash: String,
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
    input: String,
    #[serde(default)]
    block_number: Option<String>,
}

impl EvmRpc {
    /// The node at this address.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(kind: Kind, endpoint: Endpoint) -> anyhow::Result<Self> {
        Ok(Self { rpc: Rpc::new(kind.name(), endpoint)?, kind, memory: Arc::default() })
    }

    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn is_paused(&self) -> bool {
        self.rpc.is_paused()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
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

    /// The depth at which a block is final if the node does not report finality: two epochs of Ethereum; a round of Tron's block
    /// producers takes 19 blocks.
    const fn depth(&self) -> i64 {
        match self.kind {
            Kind::Ethereum => 64,
            Kind::Tron => 20,
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
        if self.memory().verified_at.is_none_or(|at| now - at > VERIFIED) {
            let id: String = self.rpc.call("eth_chainId", json!([])).await?;
            if number(&id)? != self.chain_id() {
                return Err(ChainError::WrongChain);
            }
            self.memory().verified_at = Some(now);
        }
        let block = self.block("latest").await?.ok_or(ChainError::Stale)?.block()?;
        if now - block.at > self.fresh() {
            return Err(ChainError::Stale);
        }
        let known = self.memory().finality.filter(|(_, at)| now - *at <= FINALITY);
        match known {
            Some((final_height, _)) => Ok(Tip { final_height: Some(final_height.min(block.height)), block }),
            None => {
                let tip = self.finality(Tip { block, final_height: None }).await?;
                self.memory().finality = tip.final_height.map(|height| (height, now));
                Ok(tip)
            }
        }
    }

    /// What is final now. Not every node of Tron knows the word, and the oldest of Ethereum do not either.
    pub(super) async fn finality(&self, tip: Tip) -> Result<Tip, ChainError> {
        let told = match self.block("finalized").await {
            Ok(found) => found.map(|header| header.block()).transpose()?.map(|final_one| final_one.height),
            Err(error) if error.is_refusal() => None,
            Err(error) => return Err(error),
        };
        let final_height = told.unwrap_or(tip.block.height - self.depth()).min(tip.block.height);
        Ok(Tip { final_height: Some(final_height), ..tip })
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
        if let Some(known) = self.memory().known(height, tip, search) {
            return Ok(known);
        }
        let range = (height + 1, tip.block.height);
        let mut places = self.transfers(range, search).await?;
        if search.coin {
            places.append(&mut self.coins(range, &tip.block.hash, search).await?);
        }
        let found = futures::stream::iter(places)
            .map(|place| async move {
                let found = self.read_once(&place, search).await?;
                Ok::<_, ChainError>((place, found))
            })
            .buffered(PARALLEL);
        let found: Vec<_> = found.try_collect().await?;
        let found: BTreeMap<_, _> = found.into_iter().filter_map(|(place, found)| Some((place, found?))).collect();
        // A transaction may be named with its block and without.
        let txids: BTreeMap<_, _> = found.iter().map(|((txid, _), found)| (txid, found)).collect();
        let payments: Vec<_> = txids.into_values().flat_map(|found| found.payments.clone()).collect();
        let mut memory = self.memory();
        memory.last = Some((height, tip.block.hash.clone(), payments.clone()));
        memory.found = found.into_iter().filter(|((_, block), _)| !block.is_empty()).collect();
        Ok(payments)
    }

    /// A transaction in a block, which is read once.
    async fn read_once(&self, place: &(String, String), search: Search<'_>) -> Result<Option<Found>, ChainError> {
        if let Some(known) = self.memory().found.get(place) {
            return Ok(Some(known.clone()));
        }
        self.transaction(&place.0, search).await
    }

    /// The transactions with transfers of our tokens from or to our addresses, and their blocks.
    async fn transfers(&self, range: (i64, i64), search: Search<'_>) -> Result<Places, ChainError> {
        let contracts: Vec<_> = search.contracts.iter().filter_map(|contract| self.bytes(contract)).collect();
        let mut places = Places::new();
        if contracts.is_empty() {
            return Ok(places);
        }
        let all: Vec<_> = search.watched.iter().chain(search.derived).collect();
        if all.len() > MANY {
            return self.logs((range, search), &contracts, &json!([TRANSFER])).await;
        }
        for part in all.chunks(ADDRESSES) {
            let ours: Vec<_> = part.iter().map(|one| format!("0x{:0>64}", one.script)).collect();
            for topics in [json!([TRANSFER, null, ours]), json!([TRANSFER, ours])] {
                places.append(&mut self.logs((range, search), &contracts, &topics).await?);
            }
        }
        Ok(places)
    }

    /// The transactions with logs in a range of blocks. However the node refuses a range, it is asked for half of it, and later
    /// for more again.
    async fn logs(
        &self,
        ((first, last), search): ((i64, i64), Search<'_>),
        contracts: &[String],
        topics: &Value,
    ) -> Result<Places, ChainError> {
        let (mut places, mut from) = (Places::new(), first);
        while from <= last {
            let range = self.memory().range.unwrap_or(RANGE);
            let to = last.min(from + range - 1);
            let filter = json!([{
                "fromBlock": format!("0x{from:x}"), "toBlock": format!("0x{to:x}"), "address": contracts, "topics": topics,
            }]);
            match self.rpc.call::<Vec<Log>>("eth_getLogs", filter).await {
                Ok(logs) => {
                    let is_ours =
                        |topic: &String| account_of(topic).is_some_and(|account| search.ours(&account).is_some());
                    let logs = logs.into_iter().filter(|log| !log.removed && log.topics.iter().skip(1).any(is_ours));
                    places.extend(logs.map(|log| (log.transaction_hash, log.block_hash)));
                    if to - from + 1 == range {
                        self.memory().range = Some(RANGE.min(range * 2));
                    }
                    from = to + 1;
                }
                Err(error) => {
                    let is_smaller_better =
                        error.is_refusal() || matches!(error, ChainError::TooLong | ChainError::Late);
                    if from == to || !is_smaller_better {
                        return Err(error);
                    }
                    self.memory().range = Some((to - from + 1) / 2);
                }
            }
        }
        Ok(places)
    }

    /// The transactions that move the coin of the chain from or to our addresses, and their blocks.
    async fn coins(&self, (from, to): (i64, i64), tip: &str, search: Search<'_>) -> Result<Places, ChainError> {
        let mut blocks = std::mem::take(&mut self.memory().blocks);
        // Above the tip are blocks of a longer chain that was replaced.
        blocks.retain(|height, _| (from..to).contains(height));
        if blocks.first_key_value().is_some_and(|(height, _)| *height != from) {
            blocks.clear();
        }
        let next = blocks.last_key_value().map_or(from, |(height, _)| height + 1);
        let read = futures::stream::iter(next..=to).map(|height| self.read(height, search)).buffered(PARALLEL);
        let read: Vec<_> = read.try_collect().await?;
        blocks.extend((next..=to).zip(read));
        // The blocks below may have been replaced.
        for height in (from..next).rev() {
            let parent = blocks.get(&(height + 1)).map(|child| child.parent.clone());
            if blocks.get(&height).map(|block| &block.hash) == parent.as_ref() {
                break;
            }
            blocks.insert(height, self.read(height, search).await?);
        }
        let is_chain = blocks.values().zip(blocks.values().skip(1)).all(|(block, child)| block.hash == child.parent);
        if !is_chain || to >= from && blocks.get(&to).is_none_or(|block| block.hash.trim_start_matches("0x") != tip) {
            return Err(ChainError::Contradiction("blocks were replaced while they were read"));
        }
        let places =
            |block: &Read| block.txids.iter().map(|txid| (txid.clone(), block.hash.clone())).collect::<Vec<_>>();
        let places = blocks.values().flat_map(places).collect();
        self.memory().blocks = blocks;
        Ok(places)
    }

    async fn read(&self, height: i64, search: Search<'_>) -> Result<Read, ChainError> {
        let block = self.rpc.call("eth_getBlockByNumber", json!([format!("0x{height:x}"), true])).await;
        let block: Header =
            block.and_then(|found: Option<Header>| found.ok_or(ChainError::Contradiction("a block is missing")))?;
        let is_ours = |account: &Value| {
            let digits = account.as_str().and_then(bytes_of).unwrap_or_default();
            search.ours(&digits).is_some()
        };
        // What an address of ours sends costs a fee, no matter what it moves.
        let moves = |one: &&Value| is_ours(&one["from"]) || one["value"] != "0x0" && is_ours(&one["to"]);
        let hash = |one: &Value| one["hash"].as_str().map(str::to_owned);
        let txids = block.transactions.iter().filter(moves).filter_map(hash).collect();
        Ok(Read { hash: block.hash, parent: block.parent_hash, txids })
    }

    pub(super) async fn transaction(&self, txid: &str, search: Search<'_>) -> Result<Option<Found>, ChainError> {
        let hash = format!("0x{}", txid.trim_start_matches("0x"));
        let found: Option<Transaction> = self.rpc.call("eth_getTransactionByHash", json!([hash])).await?;
        let Some(transaction) = found else { return Ok(None) };
        if transaction.block_number.is_none() {
            let (payments, call) = (Vec::new(), transaction.call());
            return Ok(Some(Found { fate: Fate::Waiting, payments, worthless: false, call }));
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
        Ok(Some(Found { fate, payments, worthless, call: transaction.call() }))
    }

    pub(super) async fn balances(&self, search: Search<'_>) -> Result<Vec<Balance>, ChainError> {
        let coin = search.coin.then(String::new);
        let assets: Vec<_> = search.contracts.iter().cloned().chain(coin).collect();
        let wanted: Vec<_> = search
            .watched
            .iter()
            .chain(search.held)
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

/// Transactions with the hashes of their blocks.
type Places = BTreeSet<(String, String)>;

impl Memory {
    /// What was found at this newest block already.
    fn known(&mut self, height: i64, tip: &Tip, search: Search<'_>) -> Option<Vec<Observation>> {
        let mut hasher = DefaultHasher::new();
        (search.watched, search.contracts, search.coin).hash(&mut hasher);
        let (search, derived) = (hasher.finish(), search.derived.len());
        if self.search != search {
            (self.search, self.last) = (search, None);
            self.found.clear();
            self.blocks.clear();
        }
        if self.derived != derived {
            (self.derived, self.last) = (derived, None);
            self.blocks.split_off(&(tip.block.height - NEWEST));
        }
        let (above, newest, found) = self.last.as_ref()?;
        (*above == height && *newest == tip.block.hash).then(|| found.clone())
    }
}

impl Transaction {
    /// A contract is created, or called: only calls have an input.
    fn call(&self) -> Call {
        let is_call = self.to.is_none() || !matches!(self.input.as_str(), "" | "0x");
        match (is_call, number_is_zero(&self.value)) {
            (false, _) => Call::Nothing,
            (true, true) => Call::WithoutValue,
            (true, false) => Call::WithValue,
        }
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
