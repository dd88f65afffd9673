//! anvil as Ethereum and as Tron, with USDT at its real address.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::rpc::{READY_LIMIT, Rpc};
use crate::host::{
    launch::{Launch, Output},
    ports,
    process::Process,
};

/// The test contracts as they run, by name: see `contracts/compile.mjs`.
const CONTRACTS: &str = include_str!("../../contracts/contracts.json");
/// USDT on Ethereum and on Tron, as 20 bytes.
pub const ETHEREUM_USDT: &str = "0xdac17f958d2ee523a2206206994597c13d831ec7";
pub const TRON_USDT: &str = "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c";
/// The first of anvil's accounts, which has 10,000 coins and needs no key.
pub const RICH: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/// A chain that anvil stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvmChain {
    Ethereum,
    Tron,
}

impl EvmChain {
    pub(super) const fn name(self) -> &'static str {
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
    pub(super) const fn setting(self) -> &'static str {
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

    /// Mines this number of blocks at once.
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
