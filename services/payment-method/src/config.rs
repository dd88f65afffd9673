//! Settings of this process, from the environment.

use std::time::Duration;

use anyhow::Context;
use chassis::config::VerifyingService;
use chassis::money::Cents;
use clap::{Args, Parser};

use crate::clients::bitcoin_core::{BitcoinCore, Network};
use crate::clients::chain::{Chain, Node};
use crate::clients::evm_rpc::{EvmRpc, Kind};
use crate::clients::rpc::Endpoint;
use crate::clients::{RateSource, Shape};
use crate::domain::quote::Tolerance;
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
    #[command(flatten)]
    pub spread: Spread,
    /// By how much a payment may differ from its quote and still be worth the quoted rate, in hundredths of a percent of the
    /// quoted amount; this, or `QUOTE_TOLERANCE_CENTS` if that is more.
    #[arg(long, env, default_value_t = 100, value_parser = clap::value_parser!(u16).range(0..=1_000))]
    pub quote_tolerance_bps: u16,
    /// The same in cents.
    #[arg(long, env, default_value_t = 500, value_parser = clap::value_parser!(i64).range(0..=10_000))]
    pub quote_tolerance_cents: i64,
    #[command(flatten)]
    pub nodes: Nodes,
}

/// What quotes add to a rate.
#[derive(Debug, Clone, Copy, Args)]
pub struct Spread {
    /// In hundredths of a percent.
    #[arg(long, env, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1_000))]
    pub quote_spread_bps: u16,
}

/// The nodes of the chains.
#[derive(Debug, Clone, Args)]
pub struct Nodes {
    /// The JSON-RPC of a Bitcoin node, with user and password, on which a wallet of ours watches addresses. Without it
    /// payments in bitcoin are not looked for. Each of these settings may name several nodes, with blanks between them, and
    /// headers after the URL: `https://host/path|TRON-PRO-API-KEY=key`.
    #[arg(long, env, hide_env_values = true)]
    pub bitcoin_url: Option<String>,
    /// The network of that node: `main`, or `regtest` in tests.
    #[arg(long, env, default_value = "main", value_parser = ["main", "regtest"])]
    pub bitcoin_network: String,
    /// The name of a watch-only wallet of the treasury on a Bitcoin node, from whose coins payouts are made for signing. Without
    /// it they are made elsewhere.
    #[arg(long, env)]
    pub bitcoin_treasury_wallet: Option<String>,
    /// The JSON-RPC of an Ethereum node.
    #[arg(long, env, hide_env_values = true)]
    pub ethereum_url: Option<String>,
    /// The JSON-RPC of a Tron node, with its path `/jsonrpc`.
    #[arg(long, env, hide_env_values = true)]
    pub tron_url: Option<String>,
    /// How often each chain is looked at, in seconds. By default so seldom that an idle day costs fewer than 50,000 calls.
    #[arg(long, env, value_parser = clap::value_parser!(u64).range(1..=30))]
    pub chain_look_seconds: Option<u64>,
}

impl Config {
    /// How far payments may differ from their quotes.
    #[must_use]
    pub const fn tolerance(&self) -> Tolerance {
        Tolerance { bps: self.quote_tolerance_bps, cents: Cents::new(self.quote_tolerance_cents) }
    }

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
}

impl Nodes {
    /// The chains that have a node.
    ///
    /// # Errors
    /// If an address is malformed.
    pub fn chains(&self) -> anyhow::Result<Vec<Chain>> {
        let network = if self.bitcoin_network == "regtest" { Network::Regtest } else { Network::Main };
        let treasury = self.bitcoin_treasury_wallet.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let bitcoin = |endpoint| {
            let node = BitcoinCore::new(endpoint, network)?;
            let node = treasury.map_or_else(|| node.clone(), |wallet| node.clone().with_treasury(wallet));
            Ok(Node::Bitcoin(Box::new(node)))
        };
        let ethereum = |endpoint| Ok(Node::Evm(EvmRpc::new(Kind::Ethereum, endpoint)?));
        let tron = |endpoint| Ok(Node::Evm(EvmRpc::new(Kind::Tron, endpoint)?));
        let chains = [
            chain(("BITCOIN_URL", self.bitcoin_url.as_deref()), bitcoin)?,
            chain(("ETHEREUM_URL", self.ethereum_url.as_deref()), ethereum)?,
            chain(("TRON_URL", self.tron_url.as_deref()), tron)?,
        ];
        let every = |chain: Chain| match self.chain_look_seconds {
            Some(seconds) => chain.every(Duration::from_secs(seconds)),
            None => chain,
        };
        Ok(chains.into_iter().flatten().map(every).collect())
    }
}

/// The chain of the nodes that a setting names; an empty setting names none.
fn chain(
    (name, text): (&'static str, Option<&str>),
    node: impl Fn(Endpoint) -> anyhow::Result<Node>,
) -> anyhow::Result<Option<Chain>> {
    // The error does not repeat an address that may hold a password.
    let endpoint = |text: &str| text.parse().map_err(|error| anyhow::anyhow!("{name}: {error}"));
    let nodes = text.unwrap_or_default().split_whitespace().map(|text| node(endpoint(text)?));
    let mut nodes = nodes.collect::<anyhow::Result<Vec<_>>>()?.into_iter();
    Ok(nodes.next().map(|first| Chain::new(first, nodes.collect())))
}
