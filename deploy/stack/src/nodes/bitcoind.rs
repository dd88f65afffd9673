//! bitcoind in regtest mode, with a wallet that mines and pays.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::rpc::Rpc;
use crate::host::{
    launch::{Launch, Output},
    ports,
    process::Process,
};

const RPC_USER: &str = "solvane";
/// The wallet that mines and pays.
const MINER: &str = "miner";
/// The watch-only wallet of the treasury. The wallet that mines and pays has its keys, as an operator's signer has them.
pub const TREASURY: &str = "treasury";

/// Bitcoins cannot be spent before this many more blocks.
const MATURITY: u32 = 101;

/// bitcoind in regtest mode, with a wallet that has coins.
#[derive(Debug)]
pub struct Bitcoind {
    pub process: Process,
    pub rpc: Rpc,
}

impl Bitcoind {
    /// Starts it with its data in `folder`.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start(program: &Path, folder: &Path, log: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let port = ports::free()?;
        let password = uuid::Uuid::new_v4().simple().to_string();
        let process = Launch::new("bitcoin", program, Output::File(log.to_owned()))
            .args([
                format!("-datadir={}", folder.display()),
                format!("-rpcport={port}"),
                format!("-rpcuser={RPC_USER}"),
                format!("-rpcpassword={password}"),
            ])
            .args(
                "-regtest -server -listen=0 -dnsseed=0 -discover=0 -txindex=1 -fallbackfee=0.0001 -dbcache=16"
                    .split(' '),
            )
            .args("-maxmempool=5 -par=1 -rpcthreads=4 -printtoconsole=0".split(' '))
            .start_alone(&folder.join("pid"))
            .await?;
        let rpc = Rpc::new(format!("http://{RPC_USER}:{password}@127.0.0.1:{port}/"))?;
        rpc.wait("getblockcount", &process, log).await?;
        let node = Self { process, rpc };
        let wallets = node.rpc.call("listwalletdir", json!([])).await?;
        let known = wallets["wallets"].as_array().into_iter().flatten().any(|wallet| wallet["name"] == MINER);
        let method = if known { "loadwallet" } else { "createwallet" };
        node.rpc.call(method, json!([MINER])).await?;
        if !known {
            node.mine(MATURITY).await?;
            node.watch_treasury().await?;
        }
        Ok(node)
    }

    /// Makes the wallet of the treasury from the public keys of the wallet that pays. The node loads it at each start.
    async fn watch_treasury(&self) -> Result<()> {
        // Without private keys, blank, without passphrase, as descriptors, loaded at the start.
        self.rpc.call("createwallet", json!([TREASURY, true, true, "", false, true, true])).await?;
        let listed = self.wallet("listdescriptors", json!([])).await?;
        let listed = listed["descriptors"].as_array().into_iter().flatten();
        let keys = listed.map(|one| {
            let (text, internal) = (&one["desc"], &one["internal"]);
            json!({ "desc": text, "active": true, "internal": internal, "range": 999, "timestamp": 0 })
        });
        let keys: Vec<_> = keys.collect();
        let wallet = self.rpc.below(&format!("wallet/{TREASURY}"))?;
        let imported = wallet.call("importdescriptors", json!([keys])).await?;
        ensure!(imported.as_array().is_some_and(|all| all.iter().all(|one| one["success"] == true)), "{imported}");
        Ok(())
    }

    /// A call of the wallet that mines and pays.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn wallet(&self, method: &str, params: Value) -> Result<Value> {
        let answer = self.rpc.call_at(&format!("{}wallet/{MINER}", self.rpc.url), method, params).await?;
        self.settle().await?;
        Ok(answer)
    }

    /// Waits until every wallet of the node knows what the node knows, which takes a moment.
    ///
    /// # Errors
    /// When the node does not answer.
    pub async fn settle(&self) -> Result<()> {
        self.rpc.call("syncwithvalidationinterfacequeue", json!([])).await.map(drop)
    }

    /// Makes blocks, whose reward goes to the wallet.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn mine(&self, blocks: u32) -> Result<()> {
        let address = self.wallet("getnewaddress", json!([])).await?;
        self.rpc.call("generatetoaddress", json!([blocks, address])).await?;
        self.settle().await
    }

    /// Pays from the wallet, in satoshi to each address as the test network writes it; the hash.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn pay(&self, to: &[(&str, u64)]) -> Result<String> {
        let amounts: serde_json::Map<String, Value> =
            to.iter().map(|(address, satoshi)| ((*address).to_owned(), json!(coins(*satoshi)))).collect();
        let sent = self.wallet("send", json!([amounts, null, "unset", 10])).await?;
        Ok(sent["txid"].as_str().context("a hash")?.to_owned())
    }
}

/// Satoshi as bitcoins, in a form that the node reads exactly.
#[must_use]
pub fn coins(satoshi: u64) -> String {
    format!("{}.{:08}", satoshi / 100_000_000, satoshi % 100_000_000)
}
