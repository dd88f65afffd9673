//! Settings of this process, from the environment.

use anyhow::Context;
use chassis::config::Service;
use clap::Parser;

use crate::clients::{RateSource, Shape};
use crate::treasury::PublicKeys;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: Service,
    /// Where auth answers gRPC.
    #[arg(long, env)]
    pub auth_url: String,
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
}
