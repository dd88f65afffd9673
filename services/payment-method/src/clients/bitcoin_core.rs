//! The JSON-RPC of bitcoind, with a watch-only wallet of our own.

mod answers;
mod network;
mod treasury;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard, PoisonError};

use chassis::money::Units;
use futures::{StreamExt, TryStreamExt};
use miniscript::descriptor::checksum::desc_checksum;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

use self::answers::{
    BlockHeader, ChainInfo, Descriptor, Descriptors, Foreign, Imported, Index, Known, Since, Unspent, satoshi,
    satoshi_of,
};
use super::rpc::{ChainError, Endpoint, Rpc};
use crate::domain::address::of_bitcoin_script;
use crate::domain::payment::{Balance, Block, Call, Fate, Found, Key, Observation, Search, Tip, Watched, Way};

pub use self::network::Network;
pub use self::treasury::{Funded, SPENT};

const WALLET: &str = "solvane-watch";
/// How old the newest block may be.
const FRESH: Duration = Duration::minutes(90);
/// For how long a node is taken to be on the chain that it was seen on.
const VERIFIED: Duration = Duration::HOUR;
/// The error codes of bitcoind for something that does not exist.
const NOT_FOUND: i64 = -5;
const NO_WALLET: i64 = -18;
const LOADED_ALREADY: [i64; 2] = [-35, -4];

/// Calls at once.
const PARALLEL: usize = 4;
/// Scripts in one call.
const IMPORTED: usize = 500;
/// An address may have been used before it was entered.
const EARLIER: Duration = Duration::DAY;

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

/// The descriptor of a script, with its checksum (BIP-380).
fn descriptor(script: &str) -> Result<String, ChainError> {
    let text = format!("raw({script})");
    let checksum = desc_checksum(&text).map_err(|_| ChainError::Contradiction("a script cannot be watched"))?;
    Ok(format!("{text}#{checksum}"))
}

#[cfg(test)]
mod tests {
    use super::descriptor;

    /// The example of BIP-380.
    #[test]
    fn descriptors_have_their_checksum() {
        assert_eq!(descriptor("deadbeef").expect("a checksum"), "raw(deadbeef)#89f8spxm");
    }
}
