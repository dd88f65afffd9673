//! Settings of this process, from the environment.

use chassis::config::VerifyingService;
use chassis::money::{AmountError, Cents};
use clap::{Args, Parser};

use time::Duration;

use crate::app::treasury::check_solvency::Tolerance;
use crate::domain::limits::{Allowance, Limits};

#[derive(Debug, Clone, Parser)]
pub struct Config {
    #[command(flatten)]
    pub service: VerifyingService,
    /// Where payment-method answers gRPC.
    #[arg(long, env)]
    pub payment_method_url: String,
    /// A standby of the database, for lists of staff, figures and statements; none for the primary.
    #[arg(long, env, hide_env_values = true)]
    pub database_read_url: Option<String>,
    /// Into how many buckets members are divided, each with a ledger of its own: the database has them, as `wallet buckets --make`
    /// made them. More may be added, and none taken away.
    #[arg(long, env, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub wallet_buckets: u16,
    #[command(flatten)]
    pub limits: LimitSettings,
}

/// Amounts that are accepted, in dollars.
#[derive(Debug, Clone, Args)]
pub struct LimitSettings {
    /// The least deposit.
    #[arg(long, env, value_parser = dollars, default_value = "100")]
    pub deposit_min: Cents,
    /// The largest deposit.
    #[arg(long, env, value_parser = dollars, default_value = "100000")]
    pub deposit_max: Cents,
    /// From how much on what a member pays within 24 hours takes two reviewers.
    #[arg(long, env, value_parser = dollars, default_value = "10000")]
    pub deposit_second_reviewer_from: Cents,
    /// The same of payments that the chain does not prove.
    #[arg(long, env, value_parser = dollars, default_value = "1000")]
    pub unproven_member_day_from: Cents,
    /// From how much on what one reviewer approves within 24 hours, of payments that the chain does not prove, takes two.
    #[arg(long, env, value_parser = dollars, default_value = "5000")]
    pub unproven_reviewer_day_from: Cents,
    /// Deposits of one member that may wait for review at once.
    #[arg(long, env, default_value_t = 5)]
    pub pending_deposits_max: u16,
    /// How many days the receipt of a decided payment is kept: five years.
    #[arg(long, env, default_value_t = 1_826, value_parser = clap::value_parser!(i32).range(31..))]
    pub receipt_retention_days: i32,
    /// The least withdrawal.
    #[arg(long, env, value_parser = dollars, default_value = "50")]
    pub withdrawal_min: Cents,
    /// The largest withdrawal.
    #[arg(long, env, value_parser = dollars, default_value = "50000")]
    pub withdrawal_max: Cents,
    /// What the withdrawals of one member may come to within 24 hours.
    #[arg(long, env, value_parser = dollars, default_value = "100000")]
    pub withdrawals_day_max: Cents,
    /// What they may come to within 30 days.
    #[arg(long, env, value_parser = dollars, default_value = "500000")]
    pub withdrawals_month_max: Cents,
    /// So much may be missing for what members are owed before it is a fault.
    #[arg(long, env, value_parser = dollars, default_value = "0")]
    pub shortfall_tolerance: Cents,
    /// If more is missing, or left without an explanation, withdrawals are paused.
    #[arg(long, env, value_parser = dollars, default_value = "10000")]
    pub shortfall_pause: Cents,
}

impl LimitSettings {
    /// What may be missing.
    #[must_use]
    pub const fn tolerance(&self) -> Tolerance {
        Tolerance { missing: self.shortfall_tolerance, pause: self.shortfall_pause }
    }
}

impl From<LimitSettings> for Limits {
    fn from(settings: LimitSettings) -> Self {
        Self {
            deposit_min: settings.deposit_min,
            deposit_max: settings.deposit_max,
            deposit_second_reviewer_from: settings.deposit_second_reviewer_from,
            unproven_member_day_from: settings.unproven_member_day_from,
            unproven_reviewer_day_from: settings.unproven_reviewer_day_from,
            pending_deposits: i64::from(settings.pending_deposits_max),
            receipt_days: settings.receipt_retention_days,
            withdrawal_min: settings.withdrawal_min,
            withdrawal_max: settings.withdrawal_max,
            allowances: [
                Allowance { period: Duration::hours(24), amount: settings.withdrawals_day_max },
                Allowance { period: Duration::days(30), amount: settings.withdrawals_month_max },
            ],
        }
    }
}

fn dollars(text: &str) -> Result<Cents, AmountError> {
    Cents::parse(text)
}
