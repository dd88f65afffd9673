//! Real nodes of blockchains that hold nothing of value: bitcoind in regtest mode, and anvil as Ethereum and as Tron
//! (D-Q9). `deploy/nodes.sh` installs them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{
    ports,
    process::{Launch, Output, Process, tail},
};

const READY_LIMIT: Duration = Duration::from_secs(30);
/// How long a call may take. Mining the first hundred blocks takes the longest.
const CALL_LIMIT: Duration = Duration::from_secs(30);
/// The test contracts as they run, by name: see `contracts/compile.mjs`.
const CONTRACTS: &str = include_str!("../contracts/contracts.json");
/// USDT on Ethereum and on Tron, as 20 bytes.
pub const ETHEREUM_USDT: &str = "0xdac17f958d2ee523a2206206994597c13d831ec7";
pub const TRON_USDT: &str = "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c";
/// The first of anvil's accounts, which has 10,000 coins and needs no key.
pub const RICH: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const RPC_USER: &str = "solvane";
/// The wallet that mines and pays.
const MINER: &str = "miner";
/// The watch-only wallet of the treasury. The wallet that mines and pays has its keys, as an operator's signer has them.
pub const TREASURY: &str = "treasury";
/// How often the local stack makes a block of bitcoin.
const BITCOIN_BLOCK: Duration = Duration::from_secs(10);
/// Bitcoins cannot be spent before this many more blocks.
const MATURITY: u32 = 101;

/// Where the nodes are installed.
#[derive(Clone, Debug, Default)]
pub struct Installed {
    pub anvil: Option<PathBuf>,
    pub bitcoind: Option<PathBuf>,
}

impl Installed {
    /// The nodes that `deploy/nodes.sh` installed beside the binaries of this build.
    ///
    /// # Errors
    /// When the folder of this program is unknown.
    pub fn find() -> Result<Self> {
        let program = std::env::current_exe()?;
        let folder = program.ancestors().map(|folder| folder.join("nodes")).find(|folder| folder.is_dir());
        let at = |name: &str| folder.as_ref().map(|folder| folder.join(name)).filter(|path| path.exists());
        Ok(Self { anvil: at("anvil"), bitcoind: at("bitcoind") })
    }
}

/// A chain that anvil stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvmChain {
    Ethereum,
    Tron,
}

impl EvmChain {
    const fn name(self) -> &'static str {
        match self {
            Self::Ethereum => "ethereum",
            Self::Tron => "tron",
        }
    }

    const fn id(self) -> &'static str {
        match self {
            Self::Ethereum => "1",
            Self::Tron => "728126428",
        }
    }

    /// The setting of payment-method that names its node.
    const fn setting(self) -> &'static str {
        match self {
            Self::Ethereum => "ETHEREUM_URL",
            Self::Tron => "TRON_URL",
        }
    }

    /// The contract of USDT.
    #[must_use]
    pub const fn usdt(self) -> &'static str {
        match self {
            Self::Ethereum => ETHEREUM_USDT,
            Self::Tron => TRON_USDT,
        }
    }
}

/// When blocks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// One for each transaction; more when a test asks.
    OnDemand,
    /// Every few seconds, as on a real chain.
    Regularly,
}

/// A node's JSON-RPC.
#[derive(Clone, Debug)]
pub struct Rpc {
    pub url: String,
    http: reqwest::Client,
}

impl Rpc {
    /// The JSON-RPC at this address, which may hold a user and a password.
    ///
    /// # Errors
    /// When the client cannot be set up.
    pub fn new(url: String) -> Result<Self> {
        Ok(Self { url, http: reqwest::Client::builder().timeout(CALL_LIMIT).build()? })
    }

    /// The first node that a setting of payment-method names: its URL, and behind bars the headers that its provider wants.
    ///
    /// # Errors
    /// When there is none, or a header is malformed.
    pub fn of_setting(text: &str) -> Result<Self> {
        let mut parts = text.split_whitespace().next().context("no node is named")?.split('|');
        let url = parts.next().unwrap_or_default().to_owned();
        let mut headers = HeaderMap::new();
        for part in parts {
            let (name, value) = part.split_once('=').context("a header is NAME=VALUE")?;
            headers.insert(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
        }
        Ok(Self { url, http: reqwest::Client::builder().timeout(CALL_LIMIT).default_headers(headers).build()? })
    }

    /// The same node, at a path below its own.
    ///
    /// # Errors
    /// When the client cannot be set up.
    pub fn below(&self, path: &str) -> Result<Self> {
        Self::new(format!("{}{path}", self.url))
    }

    /// The result of a call.
    ///
    /// # Errors
    /// When the node cannot be asked, or refuses.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value> {
        self.call_at(&self.url, method, params).await
    }

    async fn call_at(&self, url: &str, method: &str, params: Value) -> Result<Value> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer: Value = self.http.post(url).json(&body).send().await?.json().await?;
        ensure!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        Ok(answer["result"].clone())
    }

    async fn wait(&self, method: &str, process: &Process, log: &Path) -> Result<()> {
        let limit = Instant::now() + READY_LIMIT;
        while self.call(method, json!([])).await.is_err() {
            if !process.is_running() || Instant::now() > limit {
                bail!("{} did not start\n{}", process.name(), tail(log));
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

/// anvil as one of two chains, with USDT at its real address.
#[derive(Debug)]
pub struct Anvil {
    pub process: Process,
    pub rpc: Rpc,
    pub chain: EvmChain,
}

impl Anvil {
    /// Starts it; with a folder it keeps its state there.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start(
        program: &Path,
        chain: EvmChain,
        (folder, log): (Option<&Path>, &Path),
        blocks: Blocks,
    ) -> Result<Self> {
        let port = ports::free()?;
        let mut launch = Launch::new(chain.name(), program, Output::File(log.to_owned())).args([
            "--port",
            &port.to_string(),
            "--chain-id",
            chain.id(),
            "--silent",
            "--no-request-size-limit",
        ]);
        launch = match blocks {
            // Final 64 blocks later on Ethereum, 20 on Tron.
            Blocks::OnDemand if chain == EvmChain::Ethereum => launch,
            Blocks::OnDemand => launch.args(["--slots-in-an-epoch", "10"]),
            // Final after about ten seconds.
            Blocks::Regularly => launch.args(["--block-time", "2", "--slots-in-an-epoch", "2"]),
        };
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)?;
            let state = folder.join(format!("{}.json", chain.name()));
            launch = launch.args(["--state", &state.display().to_string(), "--state-interval", "5"]);
        }
        let process = launch.start()?;
        let rpc = Rpc::new(format!("http://127.0.0.1:{port}/"))?;
        rpc.wait("eth_chainId", &process, log).await?;
        let anvil = Self { process, rpc, chain };
        anvil.place("Token", chain.usdt()).await?;
        Ok(anvil)
    }

    /// Puts one of the test contracts at an address.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn place(&self, contract: &str, address: &str) -> Result<()> {
        let contracts: Value = serde_json::from_str(CONTRACTS)?;
        let code = contracts[contract].as_str().with_context(|| format!("no contract {contract}"))?;
        self.rpc.call("anvil_setCode", json!([address, code])).await.map(drop)
    }

    /// Sends a transaction of the rich account; its hash.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn send(&self, to: &str, value: u128, data: &str) -> Result<String> {
        // A gas limit of its own: a transaction that fails is sent, too.
        let transaction =
            json!({ "from": RICH, "to": to, "value": format!("0x{value:x}"), "data": data, "gas": "0x7a120" });
        let hash = self.rpc.call("eth_sendTransaction", json!([transaction])).await?;
        Ok(hash.as_str().context("a hash")?.to_owned())
    }

    /// Pays units of a token that has `mint` from the rich account; the hash.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn pay_token(&self, token: &str, to: &str, units: u128) -> Result<String> {
        self.send(token, 0, &call_data("40c10f19", &[address_word(RICH), number_word(units)])).await?;
        self.send(token, 0, &transfer_data(to, units)).await
    }

    /// The receipt of a transaction, once it is in a block.
    ///
    /// # Errors
    /// When it is not in time.
    pub async fn receipt(&self, hash: &str) -> Result<Value> {
        let limit = Instant::now() + READY_LIMIT;
        loop {
            let receipt = self.rpc.call("eth_getTransactionReceipt", json!([hash])).await?;
            if !receipt.is_null() {
                return Ok(receipt);
            }
            ensure!(Instant::now() < limit, "{hash} is in no block");
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Makes blocks.
    ///
    /// # Errors
    /// When the node refuses.
    pub async fn mine(&self, blocks: u32) -> Result<()> {
        self.rpc.call("anvil_mine", json!([format!("0x{blocks:x}")])).await.map(drop)
    }
}

/// The data of `transfer(to, units)` of a token.
#[must_use]
pub fn transfer_data(to: &str, units: u128) -> String {
    call_data("a9059cbb", &[address_word(to), number_word(units)])
}

/// The data of a call: the selector of the function in hexadecimal digits, and its words.
#[must_use]
pub fn call_data(selector: &str, words: &[String]) -> String {
    format!("0x{selector}{}", words.concat())
}

/// An address of 20 bytes as a word of 32.
#[must_use]
pub fn address_word(address: &str) -> String {
    format!("{:0>64}", address.trim_start_matches("0x").to_lowercase())
}

#[must_use]
pub fn number_word(number: u128) -> String {
    format!("{number:064x}")
}

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

/// The nodes of a stack, as far as they are installed.
#[derive(Debug, Default)]
pub struct Nodes {
    pub bitcoin: Option<Arc<Bitcoind>>,
    pub evm: Vec<Anvil>,
    mining: Option<JoinHandle<()>>,
}

impl Nodes {
    /// Starts those that are installed, with their data and logs below `folder`.
    ///
    /// # Errors
    /// When one does not start.
    pub async fn start(folder: &Path, blocks: Blocks) -> Result<Self> {
        let (installed, data) = (Installed::find()?, folder.join("nodes"));
        let mut nodes = Self::default();
        if let Some(program) = &installed.bitcoind {
            let node = Bitcoind::start(program, &data.join("bitcoin"), &folder.join("logs/bitcoin.log")).await?;
            let node = Arc::new(node);
            if blocks == Blocks::Regularly {
                nodes.mining = Some(tokio::spawn(keep_mining(Arc::clone(&node))));
            }
            nodes.bitcoin = Some(node);
        }
        for chain in [EvmChain::Ethereum, EvmChain::Tron] {
            let Some(program) = &installed.anvil else { break };
            let log = folder.join(format!("logs/{}.log", chain.name()));
            nodes.evm.push(Anvil::start(program, chain, (Some(&data), &log), blocks).await?);
        }
        Ok(nodes)
    }

    /// The settings by which payment-method finds them.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if let Some(node) = &self.bitcoin {
            all.extend([("BITCOIN_URL", node.rpc.url.clone()), ("BITCOIN_NETWORK", "regtest".to_owned())]);
            all.push(("BITCOIN_TREASURY_WALLET", TREASURY.to_owned()));
        }
        all.extend(self.evm.iter().map(|anvil| (anvil.chain.setting(), anvil.rpc.url.clone())));
        // No provider counts the calls, and anyone who tries the product out does not want to wait. Empty stands for what
        // providers can bear, to measure it.
        let seconds = std::env::var("CHAIN_LOOK_SECONDS").unwrap_or_else(|_| "2".to_owned());
        if !seconds.is_empty() {
            all.push(("CHAIN_LOOK_SECONDS", seconds));
        }
        all
    }

    /// Ends them.
    ///
    /// # Errors
    /// When one had to be killed.
    pub async fn end(&mut self) -> Result<()> {
        if let Some(mining) = self.mining.take() {
            mining.abort();
        }
        let bitcoin = self.bitcoin.take();
        let processes = bitcoin.iter().map(|node| &node.process).chain(self.evm.iter().map(|anvil| &anvil.process));
        let mut result = Ok(());
        for process in processes {
            result = result.and(process.terminate().await);
        }
        self.evm.clear();
        result
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        if let Some(mining) = self.mining.take() {
            mining.abort();
        }
    }
}

/// A block every few seconds, until the node ends.
async fn keep_mining(node: Arc<Bitcoind>) {
    while node.process.is_running() {
        // A block that fails is made the next time.
        drop(node.mine(1).await);
        sleep(BITCOIN_BLOCK).await;
    }
}

/// Satoshi as bitcoins, in a form that the node reads exactly.
#[must_use]
pub fn coins(satoshi: u64) -> String {
    format!("{}.{:08}", satoshi / 100_000_000, satoshi % 100_000_000)
}
