//! The JSON-RPC of bitcoind, with a watch-only wallet of our own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard, PoisonError};

use chassis::money::Units;
use futures::{StreamExt, TryStreamExt};
use miniscript::bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use miniscript::bitcoin::{Address, Amount, ScriptBuf, Transaction, TxOut};
use miniscript::descriptor::checksum::desc_checksum;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

use super::rpc::{ChainError, Endpoint, Rpc};
use crate::domain::address::of_bitcoin_script;
use crate::domain::payment::{Balance, Block, Call, Fate, Found, Key, Observation, Search, Tip, Watched, Way};

const WALLET: &str = "solvane-watch";
/// How old the newest block may be.
const FRESH: Duration = Duration::minutes(90);
/// For how long a node is taken to be on the chain that it was seen on.
const VERIFIED: Duration = Duration::HOUR;
/// The error codes of bitcoind for something that does not exist.
const NOT_FOUND: i64 = -5;
const NO_WALLET: i64 = -18;
const LOADED_ALREADY: [i64; 2] = [-35, -4];
const REJECTED: i64 = -26;
const IN_CHAIN: i64 = -27;
/// The reason of a node for coins that do not exist any more.
pub const SPENT: &str = "missing-inputs";
/// In how many blocks a payout should be, for the fee that the node estimates.
const CONFIRMED_IN: u32 = 6;
/// Calls at once.
const PARALLEL: usize = 4;
/// Scripts in one call.
const IMPORTED: usize = 500;
/// An address may have been used before it was entered.
const EARLIER: Duration = Duration::DAY;
/// Digits after the point of a bitcoin.
const DECIMALS: usize = 8;
const DECIMALS_OF_A_BITCOIN: u8 = 8;

/// The network that a node must be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    Main,
    /// For tests and the local stack; its scripts are those of the main network.
    Regtest,
}

/// A node.
#[derive(Debug, Clone)]
pub struct BitcoinCore {
    rpc: Rpc,
    wallet: Rpc,
    /// The watch-only wallet of the treasury, from whose coins payouts are made.
    treasury: Option<Rpc>,
    network: Network,
    /// The scripts that the wallet watches; empty before the first query.
    watching: Arc<Mutex<Option<BTreeSet<String>>>>,
    memory: Arc<std::sync::Mutex<Memory>>,
}

/// What was asked since the newest block changed.
#[derive(Debug, Default)]
struct Memory {
    /// When the node was seen on the right chain.
    verified_at: Option<OffsetDateTime>,
    newest: String,
    headers: BTreeMap<String, (Block, bool)>,
    hashes: BTreeMap<i64, String>,
}

#[derive(Deserialize)]
struct ChainInfo {
    chain: String,
    blocks: i64,
    bestblockhash: String,
}

#[derive(Deserialize)]
struct BlockHeader {
    height: i64,
    hash: String,
    time: i64,
    confirmations: i64,
}

#[derive(Deserialize)]
struct Descriptors {
    descriptors: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Descriptor {
    desc: String,
}

#[derive(Deserialize)]
struct Imported {
    success: bool,
}

#[derive(Deserialize)]
struct Since {
    transactions: Vec<Listed>,
    #[serde(default)]
    removed: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    txid: String,
}

/// A transaction as the wallet lists it.
#[derive(Deserialize)]
struct Known {
    confirmations: i64,
    #[serde(default)]
    blockhash: Option<String>,
    #[serde(default)]
    walletconflicts: Vec<String>,
    /// Set for transactions that spend our coins; negative.
    #[serde(default)]
    fee: Option<Box<RawValue>>,
    #[serde(default)]
    details: Vec<Detail>,
    decoded: Decoded,
}

#[derive(Deserialize)]
struct Detail {
    category: String,
    vout: usize,
    #[serde(default)]
    address: String,
}

#[derive(Deserialize)]
struct Decoded {
    vin: Vec<Input>,
    vout: Vec<Out>,
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    txid: String,
    #[serde(default)]
    vout: usize,
}

#[derive(Deserialize)]
struct Out {
    value: Box<RawValue>,
    #[serde(rename = "scriptPubKey")]
    script: Script,
}

#[derive(Deserialize)]
struct Script {
    hex: String,
}

/// Any transaction of the chain, from the transaction index.
#[derive(Deserialize)]
struct Foreign {
    #[serde(default)]
    blockhash: Option<String>,
    vout: Vec<Out>,
}

#[derive(Deserialize)]
struct Index {
    synced: bool,
}

#[derive(Deserialize)]
struct Unspent {
    amount: Box<RawValue>,
    #[serde(rename = "scriptPubKey")]
    script: String,
}

#[derive(Deserialize)]
struct WalletInfo {
    private_keys_enabled: bool,
}

#[derive(Deserialize)]
struct AddressInfo {
    #[serde(rename = "ismine")]
    is_mine: bool,
}

#[derive(Deserialize)]
struct Created {
    psbt: String,
    fee: Box<RawValue>,
}

#[derive(Deserialize)]
struct Finalised {
    #[serde(default)]
    hex: Option<String>,
    complete: bool,
}

#[derive(Deserialize)]
struct Tested {
    allowed: bool,
    #[serde(default)]
    fees: Option<Fees>,
    #[serde(default, rename = "reject-reason")]
    reject_reason: Option<String>,
}

#[derive(Deserialize)]
struct Fees {
    base: Box<RawValue>,
}

/// An unsigned transaction of the treasury.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Funded {
    /// In base64.
    pub psbt: String,
    /// For the network.
    pub fee: Units,
}

impl Network {
    const fn chain(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Regtest => "regtest",
        }
    }

    /// The hash of the first block.
    const fn genesis(self) -> &'static str {
        match self {
            Self::Main => "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
            Self::Regtest => "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
        }
    }
}

impl BitcoinCore {
    /// The node at this address.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(endpoint: Endpoint, network: Network) -> anyhow::Result<Self> {
        let rpc = Rpc::new("bitcoin", endpoint)?;
        let wallet = rpc.at(&format!("/wallet/{WALLET}"));
        Ok(Self { rpc, wallet, treasury: None, network, watching: Arc::default(), memory: Arc::default() })
    }

    /// The same node, with a watch-only wallet of the treasury by its name.
    #[must_use]
    pub fn with_treasury(mut self, wallet: &str) -> Self {
        self.treasury = Some(self.rpc.at(&format!("/wallet/{wallet}")));
        self
    }

    pub(super) fn is_paused(&self) -> bool {
        self.rpc.is_paused()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn tip(&self, now: OffsetDateTime) -> Result<Tip, ChainError> {
        let info: ChainInfo = self.rpc.call("getblockchaininfo", json!([])).await?;
        let is_verified = self.memory().verified_at.is_some_and(|at| now - at <= VERIFIED);
        if !is_verified {
            let genesis: String = self.rpc.call("getblockhash", json!([0])).await?;
            if info.chain != self.network.chain() || genesis != self.network.genesis() {
                return Err(ChainError::WrongChain);
            }
        }
        {
            let mut memory = self.memory();
            if !is_verified {
                memory.verified_at = Some(now);
            }
            if memory.newest != info.bestblockhash {
                memory.newest.clone_from(&info.bestblockhash);
                memory.headers.clear();
                memory.hashes.clear();
            }
        }
        let block = self.header(&info.bestblockhash).await?.0;
        if block.height != info.blocks {
            return Err(ChainError::Contradiction("the newest block has another height"));
        }
        if now - block.at > FRESH {
            return Err(ChainError::Stale);
        }
        Ok(Tip { block, final_height: None })
    }

    /// A block, and whether it is part of the active chain.
    async fn header(&self, hash: &str) -> Result<(Block, bool), ChainError> {
        if let Some(known) = self.memory().headers.get(hash) {
            return Ok(known.clone());
        }
        let header: BlockHeader = self.rpc.call("getblockheader", json!([hash])).await?;
        let at = OffsetDateTime::from_unix_timestamp(header.time);
        let at = at.map_err(|_| ChainError::Unreadable("the time of a block".to_owned()))?;
        let told = (Block { height: header.height, hash: header.hash, at }, header.confirmations >= 0);
        self.memory().headers.insert(hash.to_owned(), told.clone());
        Ok(told)
    }

    async fn hash(&self, height: i64) -> Result<String, ChainError> {
        if let Some(known) = self.memory().hashes.get(&height) {
            return Ok(known.clone());
        }
        let hash: String = self.rpc.call("getblockhash", json!([height])).await?;
        self.memory().hashes.insert(height, hash.clone());
        Ok(hash)
    }

    pub(super) async fn payments_above(
        &self,
        height: i64,
        tip: &Tip,
        search: Search<'_>,
    ) -> Result<Vec<Observation>, ChainError> {
        self.watch(search).await?;
        // Another node of the chain may be ahead of this one.
        let hash = self.hash(height.clamp(0, tip.block.height)).await?;
        let since: Since = self.wallet.call("listsinceblock", json!([hash, 1, true, true])).await?;
        let listed = since.transactions.into_iter().chain(since.removed).map(|one| one.txid);
        let txids: BTreeSet<String> = listed.collect();
        let found = futures::stream::iter(txids)
            .map(|txid| async move { self.transaction(&txid, search).await })
            .buffered(PARALLEL);
        let found: Vec<_> = found.try_collect().await?;
        Ok(found.into_iter().flatten().flat_map(|found| found.payments).collect())
    }

    /// Has the wallet read its blocks again from a height.
    pub(super) async fn rescan(&self, height: i64, search: Search<'_>) -> Result<(), ChainError> {
        self.watch(search).await?;
        match self.wallet.call::<Value>("rescanblockchain", json!([height.max(0)])).await {
            // It takes minutes or hours, and goes on.
            Ok(_) | Err(ChainError::Late) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Imports these scripts into the wallet and rescans the blocks since they were entered.
    async fn watch(&self, search: Search<'_>) -> Result<(), ChainError> {
        let mut watching = self.watching.lock().await;
        let mut known = match watching.take() {
            Some(known) => known,
            None => self.known().await?,
        };
        let entered = search.watched.iter().map(|one| (one, one.since - EARLIER));
        // Nobody knows an address before it is derived.
        let derived = search.derived.iter().map(|one| (one, one.since));
        let missing: Vec<_> = entered.chain(derived).filter(|(one, _)| !known.contains(&one.script)).collect();
        for part in missing.chunks(IMPORTED) {
            let wanted = part.iter().map(|(one, since)| {
                Ok(json!({ "desc": descriptor(&one.script)?, "timestamp": since.unix_timestamp() }))
            });
            let wanted: Vec<_> = wanted.collect::<Result<_, ChainError>>()?;
            let imported: Vec<Imported> = self.wallet.call("importdescriptors", json!([wanted])).await?;
            if !imported.iter().all(|one| one.success) {
                return Err(ChainError::Contradiction("a script cannot be watched"));
            }
            known.extend(part.iter().map(|(one, _)| one.script.clone()));
        }
        *watching = Some(known);
        Ok(())
    }

    /// The scripts that the wallet watches. Creates or loads the wallet first.
    async fn known(&self) -> Result<BTreeSet<String>, ChainError> {
        match self.rpc.call::<Value>("loadwallet", json!([WALLET, true])).await {
            Ok(_) => {}
            Err(ChainError::Refused { code, .. }) if LOADED_ALREADY.contains(&code) => {}
            Err(ChainError::Refused { code: NO_WALLET, .. }) => {
                // Without private keys, blank, without passphrase, as descriptors, loaded at the start.
                let wallet = json!([WALLET, true, true, "", false, true, true]);
                self.rpc.call::<Value>("createwallet", wallet).await?;
            }
            Err(error) => return Err(error),
        }
        let listed: Descriptors = self.wallet.call("listdescriptors", json!([])).await?;
        let script = |one: &Descriptor| one.desc.strip_prefix("raw(")?.split(')').next().map(str::to_owned);
        Ok(listed.descriptors.iter().filter_map(script).collect())
    }

    pub(super) async fn transaction(&self, txid: &str, search: Search<'_>) -> Result<Option<Found>, ChainError> {
        self.watch(search).await?;
        let asked = self.wallet.call("gettransaction", json!([txid, true, true])).await;
        let Some(known) = existing::<Known>(asked)? else { return self.foreign(txid, search).await };
        let fate = self.fate(txid, &known).await?;
        let payments = self.payments(txid, &known, &fate, search).await?;
        Ok(Some(Found { fate, payments, worthless: false, call: Call::Nothing }))
    }

    /// A transaction that the wallet does not know, with its outputs at the addresses that are searched for.
    pub(super) async fn foreign(&self, txid: &str, search: Search<'_>) -> Result<Option<Found>, ChainError> {
        let asked = self.rpc.call("getrawtransaction", json!([txid, true])).await;
        let Some(foreign) = existing::<Foreign>(asked)? else { return self.absent().await };
        let fate = match foreign.blockhash {
            Some(hash) => {
                let (block, in_force) = self.header(&hash).await?;
                if in_force { Fate::In(block) } else { Fate::Gone }
            }
            None => Fate::Waiting,
        };
        let mut payments = Vec::new();
        for (index, out) in (0..).zip(&foreign.vout) {
            if let Some(to) = search.ours(&out.script.hex) {
                payments.push(Observation {
                    key: Key { txid: txid.to_owned(), index, way: Way::In },
                    contract: String::new(),
                    address: to.address.clone(),
                    counterparty: String::new(),
                    units: satoshi(&out.value)?,
                    fate: fate.clone(),
                });
            }
        }
        Ok(Some(Found { fate, payments, worthless: false, call: Call::Nothing }))
    }

    /// Without a complete transaction index the node answers of any foreign transaction that it does not exist.
    async fn absent(&self) -> Result<Option<Found>, ChainError> {
        let indexes: BTreeMap<String, Index> = self.rpc.call("getindexinfo", json!(["txindex"])).await?;
        if indexes.get("txindex").is_some_and(|index| index.synced) { Ok(None) } else { Err(ChainError::Unindexed) }
    }

    async fn fate(&self, txid: &str, known: &Known) -> Result<Fate, ChainError> {
        if let Some(hash) = known.blockhash.as_ref().filter(|_| known.confirmations > 0) {
            let (block, in_force) = self.header(hash).await?;
            return if in_force {
                Ok(Fate::In(block))
            } else {
                Err(ChainError::Contradiction("a transaction is in a block that is not in force"))
            };
        }
        let asked = self.rpc.call::<Value>("getmempoolentry", json!([txid])).await;
        if existing(asked)?.is_some() {
            return Ok(Fate::Waiting);
        }
        let by = known.walletconflicts.first();
        Ok(by.map_or(Fate::Gone, |by| Fate::Replaced(by.clone())))
    }

    async fn payments(
        &self,
        txid: &str,
        known: &Known,
        fate: &Fate,
        search: Search<'_>,
    ) -> Result<Vec<Observation>, ChainError> {
        // What comes back to an address of ours, or goes from one to another, is no payment.
        let payer = if known.details.iter().any(|detail| detail.category == "send") {
            Some(self.payer(known, search).await?)
        } else {
            None
        };
        let row = |(index, way), (address, counterparty), units| Observation {
            key: Key { txid: txid.to_owned(), index, way },
            contract: String::new(),
            address,
            counterparty,
            units,
            fate: fate.clone(),
        };
        let mut found = Vec::new();
        for detail in &known.details {
            let out = known.decoded.vout.get(detail.vout).ok_or(ChainError::Contradiction("an output is missing"))?;
            let (way, sides) = match (detail.category.as_str(), search.ours(&out.script.hex), &payer) {
                // Coins from mining count when they can be spent.
                ("receive" | "generate", Some(to), None) => (Way::In, (to.address.clone(), String::new())),
                ("send", None, Some(payer)) => {
                    // As members write it, also where the node is on a test network.
                    let to = of_bitcoin_script(&out.script.hex).unwrap_or_else(|| detail.address.clone());
                    (Way::Out, (payer.clone(), to))
                }
                _ => continue,
            };
            let index = i32::try_from(detail.vout).map_err(|_| ChainError::Unreadable("an output".to_owned()))?;
            found.push(row((index, way), sides, satoshi(&out.value)?));
        }
        if let (Some(payer), Some(fee)) = (payer, &known.fee) {
            let fee = satoshi_of(fee.get().trim_start_matches('-'))?;
            if fee.get() > 0 {
                found.push(row((0, Way::Fee), (payer, String::new()), fee));
            }
        }
        Ok(found)
    }

    /// Which of our addresses paid for a transaction; the first, if several did.
    async fn payer(&self, known: &Known, search: Search<'_>) -> Result<String, ChainError> {
        for input in &known.decoded.vin {
            let asked = self.wallet.call("gettransaction", json!([input.txid, true, true])).await;
            let Some(before) = existing::<Known>(asked)? else { continue };
            let script = before.decoded.vout.get(input.vout).map(|out| out.script.hex.as_str());
            if let Some(one) = script.and_then(|script| search.ours(script)) {
                return Ok(one.address.clone());
            }
        }
        Ok(String::new())
    }

    /// The wallet of the treasury on this node; `None` if it has none.
    async fn treasury(&self) -> Result<Option<&Rpc>, ChainError> {
        let Some(wallet) = &self.treasury else { return Ok(None) };
        match wallet.call::<WalletInfo>("getwalletinfo", json!([])).await {
            Ok(WalletInfo { private_keys_enabled: false }) => Ok(Some(wallet)),
            Ok(_) => Err(ChainError::Contradiction("the wallet of the treasury has private keys")),
            Err(ChainError::Refused { code: NO_WALLET, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An unsigned transaction that pays these outputs from the coins of the treasury, and what it pays to the network. The change
    /// goes to one of these scripts, if the treasury has its key, else to a new address of the treasury. `None` if this node has
    /// no wallet of the treasury.
    ///
    /// # Errors
    /// If the node refuses, for example because there are too few coins.
    pub async fn fund(&self, outputs: &[TxOut], change: &[ScriptBuf]) -> Result<Option<Funded>, ChainError> {
        let Some(wallet) = self.treasury().await? else { return Ok(None) };
        let mut options = json!({ "subtractFeeFromOutputs": [], "replaceable": true, "conf_target": CONFIRMED_IN });
        for script in change {
            if self.owns(script).await? {
                options["changeAddress"] = json!(self.address(script)?);
                break;
            }
        }
        let outputs = outputs.iter().map(|one| {
            let satoshi = Units::new(i128::from(one.value.to_sat())).unwrap_or_default();
            Ok(json!({ self.address(&one.script_pubkey)?: satoshi.whole(DECIMALS_OF_A_BITCOIN) }))
        });
        let outputs: Vec<_> = outputs.collect::<Result<_, ChainError>>()?;
        // No chosen coins, no lock time, and with the paths of the keys.
        let asked = json!([[], outputs, 0, options, true]);
        let made: Created = wallet.call("walletcreatefundedpsbt", asked).await?;
        Ok(Some(Funded { psbt: made.psbt, fee: satoshi(&made.fee)? }))
    }

    /// Whether a script belongs to the wallet of the treasury.
    ///
    /// # Errors
    /// If the node cannot be asked.
    pub async fn owns(&self, script: &ScriptBuf) -> Result<bool, ChainError> {
        let (Some(wallet), Ok(address)) = (&self.treasury, self.address(script)) else { return Ok(false) };
        let info: AddressInfo = wallet.call("getaddressinfo", json!([address])).await?;
        Ok(info.is_mine)
    }

    /// As this node writes the address of a script.
    fn address(&self, script: &ScriptBuf) -> Result<String, ChainError> {
        let network = match self.network {
            Network::Main => miniscript::bitcoin::Network::Bitcoin,
            Network::Regtest => miniscript::bitcoin::Network::Regtest,
        };
        let address = Address::from_script(script, network);
        Ok(address.map_err(|_| ChainError::Unreadable("a script without an address".to_owned()))?.to_string())
    }

    /// Whether this node has a wallet of the treasury.
    ///
    /// # Errors
    /// If the node cannot be asked, or the wallet has private keys.
    pub async fn has_treasury(&self) -> Result<bool, ChainError> {
        Ok(self.treasury().await?.is_some())
    }

    /// The transaction of a PSBT with all its signatures; `None` if some are missing.
    ///
    /// # Errors
    /// If the node refuses.
    pub async fn finalise(&self, psbt: &str) -> Result<Option<Transaction>, ChainError> {
        let done: Finalised = self.rpc.call("finalizepsbt", json!([psbt])).await?;
        let Some(hex) = done.hex.filter(|_| done.complete) else { return Ok(None) };
        let read = deserialize_hex(&hex).map_err(|_| ChainError::Unreadable("a transaction".to_owned()))?;
        Ok(Some(read))
    }

    /// What a transaction pays to the network, if this node would take it and it replaces no other; `None` if the network has it
    /// already.
    ///
    /// # Errors
    /// `Refused` with the reason for which the node would not take it.
    pub async fn try_out(&self, transaction: &Transaction) -> Result<Option<Amount>, ChainError> {
        let txid = transaction.compute_txid().to_string();
        if existing(self.rpc.call::<Value>("getrawtransaction", json!([txid, true])).await)?.is_some() {
            return Ok(None);
        }
        // One that spends coins of a waiting transaction, with a higher fee, would take its place.
        for input in &transaction.input {
            let coin = json!([input.previous_output.txid.to_string(), input.previous_output.vout, true]);
            if self.rpc.call::<Value>("gettxout", coin).await?.is_null() {
                return Err(ChainError::Refused { code: REJECTED, message: SPENT.to_owned() });
            }
        }
        let asked = self.rpc.call("testmempoolaccept", json!([[serialize_hex(transaction)]])).await?;
        let [tested]: [Tested; 1] = asked;
        if let Some(fees) = tested.fees.filter(|_| tested.allowed) {
            let fee = u64::try_from(satoshi(&fees.base)?.get()).unwrap_or(u64::MAX);
            return Ok(Some(Amount::from_sat(fee)));
        }
        Err(ChainError::Refused { code: REJECTED, message: tested.reject_reason.unwrap_or_default() })
    }

    /// Sends a transaction. One that the network has is sent again, or left alone once it is in a block.
    ///
    /// # Errors
    /// If the node refuses it.
    pub async fn send(&self, raw: &[u8]) -> Result<(), ChainError> {
        let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        match self.rpc.call::<String>("sendrawtransaction", json!([hex])).await {
            Ok(_) | Err(ChainError::Refused { code: IN_CHAIN, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn balances(&self, search: Search<'_>) -> Result<Vec<Balance>, ChainError> {
        self.watch(search).await?;
        let unspent: Vec<Unspent> = self.wallet.call("listunspent", json!([0, 9_999_999, [], true])).await?;
        let too_large = |_| ChainError::Unreadable("a balance is too large".to_owned());
        let mut sums: BTreeMap<&str, Units> = BTreeMap::new();
        for one in &unspent {
            let sum = sums.entry(&one.script).or_default();
            *sum = sum.plus(satoshi(&one.amount)?).map_err(too_large)?;
        }
        let balance = |one: &Watched| Balance {
            contract: String::new(),
            address: one.address.clone(),
            units: sums.get(one.script.as_str()).copied().unwrap_or_default(),
        };
        Ok(search.watched.iter().chain(search.held).map(balance).collect())
    }
}

/// `None` if bitcoind answers that it does not exist.
fn existing<T>(asked: Result<T, ChainError>) -> Result<Option<T>, ChainError> {
    match asked {
        Ok(found) => Ok(Some(found)),
        Err(ChainError::Refused { code: NOT_FOUND, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An amount in bitcoins, parsed exactly from its digits.
fn satoshi(value: &RawValue) -> Result<Units, ChainError> {
    satoshi_of(value.get())
}

fn satoshi_of(text: &str) -> Result<Units, ChainError> {
    let unreadable = || ChainError::Unreadable("an amount".to_owned());
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > DECIMALS || whole.is_empty() {
        return Err(unreadable());
    }
    Units::parse(&format!("{whole}{part:0<DECIMALS$}")).map_err(|_| unreadable())
}

/// The descriptor of a script, with its checksum (BIP-380).
fn descriptor(script: &str) -> Result<String, ChainError> {
    let text = format!("raw({script})");
    let checksum = desc_checksum(&text).map_err(|_| ChainError::Contradiction("a script cannot be watched"))?;
    Ok(format!("{text}#{checksum}"))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{descriptor, satoshi};

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

    /// The example of BIP-380.
    #[test]
    fn descriptors_have_their_checksum() {
        assert_eq!(descriptor("deadbeef").expect("a checksum"), "raw(deadbeef)#89f8spxm");
    }
}
