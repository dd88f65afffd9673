//! Settings of this process, from the environment.

use chassis::config::VerifyingService;
use clap::Parser;
use time::Duration;

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: VerifyingService,
    /// Hours within which staff mean to answer what a member wrote.
    #[arg(long, env, default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=720))]
    pub answer_hours: u16,
}

impl Config {
    #[must_use]
    pub fn answer_time(&self) -> Duration {
        Duration::hours(i64::from(self.answer_hours))
    }
}
