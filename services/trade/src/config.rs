//! Settings of this process, from the environment.

use chassis::config::{Grpc, Keys, Ops, Storage};
use clap::Parser;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    /// The gRPC server.
    #[command(flatten)]
    pub grpc: Grpc,
    /// Where auth answers gRPC.
    #[arg(long, env)]
    pub auth_url: String,
    /// Where wallet answers gRPC.
    #[arg(long, env)]
    pub wallet_url: String,
    /// Logs, traces, metrics, health.
    #[command(flatten)]
    pub ops: Ops,
    /// The database and the broker.
    #[command(flatten)]
    pub storage: Storage,
    #[command(flatten)]
    pub keys: Keys,
}
