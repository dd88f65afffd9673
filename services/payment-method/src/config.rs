//! Settings of this process, from the environment.

use chassis::config::Service;
use clap::Parser;

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
}
