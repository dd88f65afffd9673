//! Settings of this process, from the environment.

use anyhow::Context;
use chassis::config::VerifyingService;
use clap::Parser;

use crate::clients::bitcoin_core::{BitcoinCore, Network};
use crate::clients::chain::Chain;
use crate::clients::evm_rpc::{EvmRpc, Kind};
use crate::clients::{RateSource, Shape};
use crate::treasury::PublicKeys;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: VerifyingService,
    /// The public keys of the treasury, with commas between them; none where platform addresses are not signed.
    #[arg(long, env, default_value = "")]
    pub treasury_keys: PublicKeys,
    /// The exchanges that are asked for rates, e.g. `kraken=https://api.kraken.com,bitstamp=https://www.bitstamp.net`. Of
    /// `kraken`, `coinbase` and `bitstamp`; a rate takes two.
    #[arg(long, env, default_value = "")]
    pub rate_sources: String,
    /// What quotes add to a rate, in hundredths of a percent.
    #[arg(long, env, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1_000))]
    pub quote_spread_bps: u16,
    /// The JSON-RPC of a Bitcoin node, with user and password, on which a wallet of ours watches addresses. Without it
    /// payments in bitcoin are not looked for.
    #[arg(long, env, hide_env_values = true)]
    pub bitcoin_url: Option<String>,
    /// The network of that node: `main`, or `regtest` in tests.
    #[arg(long, env, default_value = "main", value_parser = ["main", "regtest"])]
    pub bitcoin_network: String,
    /// The JSON-RPC of an Ethereum node.
    #[arg(long, env, hide_env_values = true)]
    pub ethereum_url: Option<String>,
    /// The JSON-RPC of a Tron node, with its path `/jsonrpc`.
    #[arg(long, env, hide_env_values = true)]
    pub tron_url: Option<String>,
}

impl Config {
    /// The sources of rates.
    ///
    /// # Errors
    /// If one is unknown, named twice, or has no address.
    pub fn sources(&self) -> anyhow::Result<Vec<RateSource>> {
        let mut sources: Vec<RateSource> = Vec::new();
        for text in self.rate_sources.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            let (name, url) = text.split_once('=').context("RATE_SOURCES: a source is name=https://host")?;
            let shape = match name {
                "kraken" => Shape::Kraken,
                "coinbase" => Shape::Coinbase,
                "bitstamp" => Shape::Bitstamp,
                _ => anyhow::bail!("RATE_SOURCES: {name} is none of kraken, coinbase, bitstamp"),
            };
            let source = RateSource::new(shape, url.parse().with_context(|| format!("RATE_SOURCES: {url}"))?)?;
            anyhow::ensure!(
                sources.iter().all(|known| known.name() != source.name()),
                "RATE_SOURCES: {name} is named twice"
            );
            sources.push(source);
        }
        Ok(sources)
    }

    /// The chains that have a node.
    ///
    /// # Errors
    /// If an address is none.
    pub fn chains(&self) -> anyhow::Result<Vec<Chain>> {
        // An empty setting is none; what is wrong with an address that may hold a password is not told.
        let url = |name: &'static str, text: &Option<String>| {
            let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
            text.map(|text| text.parse::<reqwest::Url>().map_err(|_| anyhow::anyhow!("{name} is no URL"))).transpose()
        };
        let mut chains = Vec::new();
        if let Some(url) = url("BITCOIN_URL", &self.bitcoin_url)? {
            let network = if self.bitcoin_network == "regtest" { Network::Regtest } else { Network::Main };
            chains.push(Chain::Bitcoin(BitcoinCore::new(url, network)?));
        }
        if let Some(url) = url("ETHEREUM_URL", &self.ethereum_url)? {
            chains.push(Chain::Evm(EvmRpc::new(Kind::Ethereum, url)?));
        }
        if let Some(url) = url("TRON_URL", &self.tron_url)? {
            chains.push(Chain::Evm(EvmRpc::new(Kind::Tron, url)?));
        }
        Ok(chains)
    }
}
