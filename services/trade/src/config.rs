//! Settings of this process, from the environment.

use chassis::config::VerifyingService;
use clap::Parser;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: VerifyingService,
    /// Where wallet answers gRPC.
    #[arg(long, env)]
    pub wallet_url: String,
}
