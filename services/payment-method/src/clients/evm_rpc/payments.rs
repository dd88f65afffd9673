//! The payments in the blocks above a height.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};

use super::answers::{Header, Log, TRANSFER, account_of, bytes_of};
use super::memory::Read;
use super::{EvmRpc, PARALLEL};
use crate::clients::rpc::ChainError;
use crate::domain::payment::{Found, Observation, Search, Tip};

/// The most blocks and addresses in one query for logs; nodes refuse more.
const RANGE: i64 = 2_000;
const ADDRESSES: usize = 500;
/// With more addresses than this, all transfers of our tokens are asked for: that costs fewer calls.
const MANY: usize = 2_000;

impl EvmRpc {
    pub(in crate::clients) async fn payments_above(
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
}

/// Transactions with the hashes of their blocks.
type Places = BTreeSet<(String, String)>;
