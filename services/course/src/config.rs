//! Settings of this process, from the environment.

use chassis::config::Service;
use clap::Parser;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: Service,
    /// Where auth answers gRPC.
    #[arg(long, env)]
    pub auth_url: String,
    /// Where wallet answers gRPC.
    #[arg(long, env)]
    pub wallet_url: String,
}
