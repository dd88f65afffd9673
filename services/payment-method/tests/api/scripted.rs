//! A Bitcoin node that a test writes the history of: blocks, payments that wait, replacements, reorganisations, outages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::{Json, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use serde_json::{Value, json};
use stack::nodes::coins;
use time::OffsetDateTime;
use tokio::net::TcpListener;

const GENESIS: &str = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
/// The script of anybody else.
pub const THEIRS: &str = "76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac";

/// A transaction that the wallet knows: with an input or an output of its own.
#[derive(Debug, Clone)]
pub struct Tx {
    /// What it spends of the wallet's.
    pub spends: Vec<(String, usize)>,
    /// Script and satoshi of each output.
    pub outs: Vec<(String, u64)>,
    pub fee: u64,
    /// Those that cannot be in a block together with it.
    pub conflicts: BTreeSet<String>,
}

#[derive(Default)]
pub struct History {
    pub txs: BTreeMap<String, Tx>,
    /// Hash and transactions of each block after the first.
    pub blocks: Vec<(String, Vec<String>)>,
    pub waiting: Vec<String>,
    watched: BTreeSet<String>,
    pub is_down: bool,
    /// Whether its transaction index is still being built.
    pub is_unindexed: bool,
    /// The methods that were called.
    pub called: Vec<String>,
    /// Of every block.
    pub time: Option<i64>,
    names: u64,
}

/// The node; clones share its history.
#[derive(Clone, Default)]
pub struct Scripted(Arc<Mutex<History>>);

impl Scripted {
    /// The node behind an address of its own.
    pub async fn serve(&self) -> Chain {
        let router = Router::new().fallback(post(answer)).with_state(self.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Chain::from(BitcoinCore::new(url.parse().unwrap(), Network::Regtest).unwrap())
    }

    pub fn history(&self) -> MutexGuard<'_, History> {
        self.0.lock().unwrap()
    }
}

impl History {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("{:064x}", self.names)
    }

    /// Sends a transaction, which waits.
    pub fn send(&mut self, tx: Tx) -> String {
        let txid = self.name();
        self.waiting.push(txid.clone());
        self.txs.insert(txid.clone(), tx);
        txid
    }

    /// Has another transaction spend the same coins instead of one that waits, or of one whose block is gone.
    pub fn replace(&mut self, txid: &str, instead: Tx) -> String {
        self.drop_waiting(txid);
        let by = self.send(instead);
        self.txs.get_mut(txid).unwrap().conflicts.insert(by.clone());
        self.txs.get_mut(&by).unwrap().conflicts.insert(txid.to_owned());
        by
    }

    /// Drops it with everything that spends what it made.
    fn drop_waiting(&mut self, txid: &str) {
        self.waiting.retain(|one| one != txid);
        let children: Vec<_> = self
            .waiting
            .iter()
            .filter(|one| self.txs[*one].spends.iter().any(|(from, _)| from == txid))
            .cloned()
            .collect();
        for child in children {
            self.drop_waiting(&child);
        }
    }

    /// Makes a block of what waits, or of nothing.
    pub fn mine(&mut self, is_full: bool) {
        let hash = self.name();
        let txs = if is_full { std::mem::take(&mut self.waiting) } else { Vec::new() };
        self.blocks.push((hash, txs));
    }

    /// Undoes blocks, whose transactions wait again, in their order.
    pub fn undo(&mut self, depth: usize) {
        let kept = self.blocks.len().saturating_sub(depth);
        let mut waiting: Vec<_> = self.blocks.split_off(kept).into_iter().flat_map(|(_, txs)| txs).collect();
        waiting.append(&mut self.waiting);
        self.waiting = waiting;
    }

    fn in_force(&self) -> BTreeMap<&str, Option<i64>> {
        let blocks = self.blocks.iter().zip(1..);
        let mined = blocks.flat_map(|((_, txs), height)| txs.iter().map(move |txid| (txid.as_str(), Some(height))));
        mined.chain(self.waiting.iter().map(|txid| (txid.as_str(), None))).collect()
    }

    /// The same for one transaction, from the newest block down: those that are asked for are new.
    fn place(&self, txid: &str) -> Option<Option<i64>> {
        if self.waiting.iter().any(|one| one == txid) {
            return Some(None);
        }
        let block = self.blocks.iter().rposition(|(_, txs)| txs.iter().any(|one| one == txid))?;
        Some(Some(i64::try_from(block).unwrap() + 1))
    }

    /// The coins of some scripts: where they are, and how many satoshi.
    pub fn unspent(&self, scripts: &BTreeSet<String>) -> Vec<((String, usize), String, u64)> {
        let alive = self.in_force();
        let spent: BTreeSet<_> = alive.keys().flat_map(|txid| &self.txs[*txid].spends).collect();
        let outs = alive.keys().flat_map(|txid| {
            self.txs[*txid].outs.iter().enumerate().map(move |(vout, out)| (((*txid).to_owned(), vout), out))
        });
        outs.filter(|(place, (script, _))| scripts.contains(script) && !spent.contains(place))
            .map(|(place, (script, satoshi))| (place, script.clone(), *satoshi))
            .collect()
    }

    fn height(&self) -> i64 {
        i64::try_from(self.blocks.len()).unwrap()
    }

    fn hash(&self, height: usize) -> &str {
        if height == 0 { GENESIS } else { &self.blocks[height - 1].0 }
    }

    /// What the node answers; `None` for what does not exist.
    fn result(&mut self, method: &str, params: &Value) -> Option<Value> {
        let text = params[0].as_str().unwrap_or_default();
        Some(match method {
            "getblockchaininfo" => {
                let hash = self.hash(self.blocks.len());
                json!({ "chain": "regtest", "blocks": self.height(), "bestblockhash": hash })
            }
            "getblockhash" => json!(self.hash(usize::try_from(params[0].as_u64().unwrap()).unwrap())),
            "getblockheader" => {
                let height = (0..=self.blocks.len()).rev().find(|height| self.hash(*height) == text)?;
                // All of one time: a block says the same whenever it is asked for.
                let time = *self.time.get_or_insert_with(|| OffsetDateTime::now_utc().unix_timestamp());
                json!({ "height": height, "hash": text, "time": time, "confirmations": self.blocks.len() - height + 1 })
            }
            "getindexinfo" => {
                json!({ "txindex": { "synced": !self.is_unindexed, "best_block_height": self.height() } })
            }
            "loadwallet" => json!({}),
            "listdescriptors" => json!({ "descriptors": [] }),
            "importdescriptors" => {
                let wanted: Vec<_> = params[0].as_array().unwrap().clone();
                let scripts = wanted.iter().map(|one| one["desc"].as_str().unwrap());
                self.watched.extend(scripts.map(|text| text[4..].split(')').next().unwrap().to_owned()));
                json!(wanted.iter().map(|_| json!({ "success": true })).collect::<Vec<_>>())
            }
            "listsinceblock" => {
                let since = (0..=self.blocks.len()).rev().find(|height| self.hash(*height) == text)?;
                let since = i64::try_from(since).unwrap();
                let alive = self.in_force();
                // What another transaction replaced is returned until that one is as old as what is not returned.
                let is_new = |txid: &str| alive.get(txid).map(|height| height.is_none_or(|height| height > since));
                let listed = self.txs.iter().filter(|(txid, tx)| {
                    let replaced = || tx.conflicts.iter().all(|by| is_new(by).unwrap_or(true));
                    is_new(txid).unwrap_or_else(replaced)
                });
                let listed: Vec<_> = listed.map(|(txid, _)| json!({ "txid": txid })).collect();
                json!({ "transactions": listed, "removed": [] })
            }
            "gettransaction" => self.known(text)?,
            "getrawtransaction" => self.raw(text)?,
            "getmempoolentry" => self.waiting.iter().any(|txid| txid == text).then(|| json!({}))?,
            "listunspent" => {
                let unspent = self.unspent(&self.watched).into_iter();
                let told = unspent
                    .map(|(_, script, satoshi)| json!({ "amount": number(&coins(satoshi)), "scriptPubKey": script }));
                json!(told.collect::<Vec<_>>())
            }
            _ => return None,
        })
    }

    /// Whether it is in a block or waits.
    pub fn is_alive(&self, txid: &str) -> bool {
        self.place(txid).is_some()
    }

    fn outs(&self, txid: &str) -> Option<Vec<Value>> {
        let out = |(script, satoshi): &(String, u64)| json!({ "value": number(&coins(*satoshi)), "scriptPubKey": { "hex": script } });
        Some(self.txs.get(txid)?.outs.iter().map(out).collect())
    }

    /// As the transaction index has it.
    fn raw(&self, txid: &str) -> Option<Value> {
        let place = self.place(txid)?;
        let hash = place.map(|height| self.hash(usize::try_from(height).unwrap()));
        Some(json!({ "blockhash": hash, "vout": self.outs(txid)? }))
    }

    fn known(&self, txid: &str) -> Option<Value> {
        let tx = self.txs.get(txid)?;
        let place = self.place(txid);
        let is_ours = |script: &String| self.watched.contains(script);
        let mut details = Vec::new();
        for (vout, (script, _)) in tx.outs.iter().enumerate() {
            if !tx.spends.is_empty() {
                details.push(json!({ "category": "send", "vout": vout }));
            }
            if is_ours(script) {
                details.push(json!({ "category": "receive", "vout": vout }));
            }
        }
        let vin = tx.spends.iter().map(|(txid, vout)| json!({ "txid": txid, "vout": vout }));
        let mut known = json!({
            "confirmations": 0, "walletconflicts": tx.conflicts, "details": details,
            "decoded": { "vin": vin.collect::<Vec<_>>(), "vout": self.outs(txid)? },
        });
        if let Some(Some(height)) = place {
            known["confirmations"] = json!(self.height() - height + 1);
            known["blockhash"] = json!(self.hash(usize::try_from(height).unwrap()));
        }
        if !tx.spends.is_empty() {
            known["fee"] = json!(number(&format!("-{}", coins(tx.fee))));
        }
        Some(known)
    }
}

/// A number that is written with exactly these digits, as the node does it.
fn number(digits: &str) -> String {
    format!("number:{digits}:number")
}

async fn answer(State(node): State<Scripted>, Json(call): Json<Value>) -> Response {
    let mut history = node.history();
    if history.is_down {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    history.called.push(call["method"].as_str().unwrap().to_owned());
    match history.result(call["method"].as_str().unwrap(), &call["params"]) {
        Some(result) => {
            let text = json!({ "result": result }).to_string();
            text.replace("\"number:", "").replace(":number\"", "").into_response()
        }
        None => Json(json!({ "error": { "code": -5, "message": "not found" } })).into_response(),
    }
}
