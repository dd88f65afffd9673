//! Real nodes of blockchains that hold nothing of value: bitcoind in regtest mode, and anvil as Ethereum and as Tron
//! (D-Q9). `deploy/nodes.sh` installs them.

mod rpc;

mod anvil;

mod bitcoind;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Result;
use tokio::{task::JoinHandle, time::sleep};

pub use self::anvil::{
    Anvil, Blocks, ETHEREUM_USDT, EvmChain, RICH, TRON_USDT, address_word, call_data, number_word, transfer_data,
};
pub use self::bitcoind::{Bitcoind, TREASURY, coins};
pub use self::rpc::Rpc;

/// How often the local stack makes a block of bitcoin.
const BITCOIN_BLOCK: Duration = Duration::from_secs(10);

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
