//! The gateway's settings; with `main.rs` the only reader of the environment.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use chassis::config::{Keys, Ops, Tls};
use clap::Args;
use ipnet::IpNet;

use crate::operator::{Issuer, Operator};

/// Settings of the gateway.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Logs, traces, metrics, health.
    #[command(flatten)]
    pub ops: Ops,
    /// The keys that sign the gateway's credential and verify those of others.
    #[command(flatten)]
    pub keys: Keys,
    /// TLS between the processes of a deployment.
    #[command(flatten)]
    pub tls: Tls,
    /// The address that serves the API and the web app.
    #[arg(long, env, default_value = "127.0.0.1:8080")]
    pub http_addr: SocketAddr,
    /// The public URL. Links are built from it alone.
    #[arg(long, env, default_value = "http://127.0.0.1:8080")]
    pub public_url: String,
    #[command(flatten)]
    pub operator: Operator,
    /// The built web app; without it only the API is served.
    #[arg(long, env)]
    pub web_dir: Option<PathBuf>,
    /// The object store: `file:///folder` or `s3://bucket` (with AWS_* settings).
    #[arg(long, env)]
    pub files_url: String,
    /// The key that signs links to receipts, and that the numbers of documents are derived from.
    #[arg(long, env)]
    pub link_key_file: PathBuf,
    /// The URL of auth's gRPC server.
    #[arg(long, env)]
    pub auth_url: String,
    /// The URL of wallet's gRPC server.
    #[arg(long, env)]
    pub wallet_url: String,
    /// The URL of trade's gRPC server.
    #[arg(long, env)]
    pub trade_url: String,
    /// The URL of course's gRPC server.
    #[arg(long, env)]
    pub course_url: String,
    /// The URL of cases' gRPC server.
    #[arg(long, env)]
    pub cases_url: String,
    /// The URL of payment-method's gRPC server.
    #[arg(long, env)]
    pub payment_method_url: String,
    /// The URL of mailer's gRPC server.
    #[arg(long, env)]
    pub mailer_url: String,
    /// RabbitMQ for live updates. Without it clients poll.
    #[arg(long, env, hide_env_values = true)]
    pub amqp_url: Option<String>,
    /// Other origins whose pages may call the API.
    #[arg(long, env, value_delimiter = ',')]
    pub cors_origins: Vec<String>,
    /// Block explorers by network, such as `Bitcoin=https://explorer.example/tx/{txid}`. Without one, the hash of a payment is
    /// shown without a link.
    #[arg(long, env, value_delimiter = ',')]
    pub explorers: Vec<Explorer>,
    /// Proxies whose X-Forwarded-For is believed.
    #[arg(long, env, value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,
    /// Requests a second that one address may make on average; 0 for no limit.
    #[arg(long, env, default_value_t = 50)]
    pub rate_limit: u32,
    /// Session requests (login, register, codes, resets) a minute that one address may make; 0 for no limit.
    #[arg(long, env, default_value_t = 60)]
    pub session_rate_limit: u32,
    /// Connections that one address may have open, trusted proxies aside; 0 for no limit.
    #[arg(long, env, default_value_t = 64)]
    pub connections_per_address: u32,
    /// The folder of the temporary files that receive long request bodies.
    #[arg(long, env, default_value_os_t = std::env::temp_dir())]
    pub spool_dir: PathBuf,
}

impl Config {
    /// Who issues documents.
    #[must_use]
    pub fn issuer(&self) -> Issuer<'_> {
        Issuer { operator: &self.operator, address: self.public_url.trim_end_matches('/') }
    }
}

/// Where a block explorer shows the transactions of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explorer {
    pub network: String,
    /// With `{txid}` in place of the transaction's hash.
    pub url: String,
}

impl FromStr for Explorer {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (network, url) = text.split_once('=').ok_or("a network, =, and a URL are needed")?;
        if network.is_empty() || !url.starts_with("https://") || !url.contains("{txid}") {
            return Err("the URL has to begin with https:// and to contain {txid}");
        }
        Ok(Self { network: network.to_owned(), url: url.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::Explorer;

    /// [D-Q7] A link leads to the page of a transaction, and to nothing that a browser would run.
    #[test]
    fn an_explorer_shows_transactions_of_a_network() {
        let explorer: Explorer = "Bitcoin=https://explorer.example/tx/{txid}?a=b".parse().expect("an explorer");
        assert_eq!((&*explorer.network, &*explorer.url), ("Bitcoin", "https://explorer.example/tx/{txid}?a=b"));
        for wrong in
            ["", "Bitcoin", "=https://a.example/{txid}", "Bitcoin=https://a.example", "Bitcoin=javascript:{txid}"]
        {
            assert!(wrong.parse::<Explorer>().is_err(), "{wrong}");
        }
    }
}
