//! Settings from the environment, which only this module and `main` read.

use std::path::PathBuf;

use chassis::config::Service;
use clap::{Parser, ValueEnum};

use crate::app::SecondFactor;

/// Whether staff need a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    /// They do not: for the local stack and tests, so production binaries do not know it.
    #[cfg(debug_assertions)]
    Off,
}

impl From<Switch> for SecondFactor {
    fn from(switch: Switch) -> Self {
        match switch {
            Switch::On => Self::Required,
            #[cfg(debug_assertions)]
            Switch::Off => Self::Waived,
        }
    }
}

/// The shortest wait of new staff in seconds: an hour, in which the others can object; none in the local stack and tests.
const LEAST_WAIT: i64 = if cfg!(debug_assertions) { 0 } else { 3_600 };

/// The shortest wait of a closing in hours; none in tests.
const LEAST_CLOSING_DELAY: i64 = if cfg!(debug_assertions) { 0 } else { 1 };

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
    /// The name of the product, as members read it.
    #[arg(long, env, default_value = "Solvane")]
    pub brand: String,
    /// The public address of the product, to which passkeys belong.
    #[arg(long, env)]
    pub public_url: String,
    /// Where wallet answers gRPC.
    #[arg(long, env)]
    pub wallet_url: String,
    /// The key under which the secrets of authenticators are kept.
    #[arg(long, env)]
    pub totp_key_file: PathBuf,
    /// Whether staff need a second factor to log in.
    #[arg(long, env, value_enum, default_value = "on")]
    pub staff_totp: Switch,
    /// How long new reviewers, treasurers and managers wait before they may decide.
    #[arg(long, env, default_value_t = 86_400, value_parser = clap::value_parser!(u32).range(LEAST_WAIT..))]
    pub new_staff_wait_seconds: u32,
    /// How many days the personal data of closed accounts is kept: five years.
    #[arg(long, env, default_value_t = 1_826, value_parser = clap::value_parser!(i32).range(31..))]
    pub personal_data_retention_days: i32,
    /// How long closing an account waits, so that its mailbox can call it off.
    #[arg(long, env, default_value_t = 24, value_parser = clap::value_parser!(u32).range(LEAST_CLOSING_DELAY..))]
    pub closing_delay_hours: u32,
    /// How long payouts wait after a change of email, password or second factors.
    #[arg(long, env, default_value_t = 24)]
    pub cooling_off_hours: u32,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Config;

    /// [D-O1] [D-O5] [D-M5] Only builds with debug assertions accept staff without a second factor or a wait, or accounts that
    /// close at once.
    #[test]
    fn only_debug_builds_take_the_switches_of_the_local_stack() {
        let error_of = |switch| Config::try_parse_from(["auth", switch]).unwrap_err().to_string();
        for switch in ["--staff-totp=off", "--new-staff-wait-seconds=0", "--closing-delay-hours=0"] {
            let is_refused = error_of(switch).contains("invalid value");
            assert_eq!(is_refused, !cfg!(debug_assertions), "{switch}: {}", error_of(switch));
        }
        assert!(error_of("--staff-totp=maybe").contains("invalid value"));
    }
}
