//! Settings from the environment, which only this module and `main` read.

use std::path::PathBuf;

use chassis::config::Service;
use clap::{Parser, ValueEnum};

use crate::app::SecondFactor;

/// Whether staff need a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    /// They do not: for the local stack alone.
    Off,
}

impl From<Switch> for SecondFactor {
    fn from(switch: Switch) -> Self {
        match switch {
            Switch::On => Self::Required,
            Switch::Off => Self::Waived,
        }
    }
}

/// What the service takes to serve.
#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: Service,
    /// The private key of members' tokens.
    #[arg(long, env)]
    pub token_key_file: PathBuf,
    /// The private key of staff's decisions.
    #[arg(long, env)]
    pub decision_key_file: PathBuf,
    /// The secret that codes and links are derived from.
    #[arg(long, env)]
    pub code_key_file: PathBuf,
    /// The public address of the product, to which passkeys belong.
    #[arg(long, env)]
    pub public_url: String,
    /// The key under which the secrets of authenticators are kept.
    #[arg(long, env)]
    pub totp_key_file: PathBuf,
    /// Whether staff need a second factor to log in.
    #[arg(long, env, value_enum, default_value = "on")]
    pub staff_totp: Switch,
    /// How long new reviewers, treasurers and managers wait before they may decide.
    #[arg(long, env, default_value_t = 86_400)]
    pub new_staff_wait_seconds: u32,
    /// How long payouts wait after a change of email, password or second factors.
    #[arg(long, env, default_value_t = 24)]
    pub cooling_off_hours: u32,
}
