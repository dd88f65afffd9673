//! A member's wallet: balances, terms, how long things take, and its end.

pub mod close_wallet;
pub mod get_balances;
pub mod get_member_wallet;
pub mod get_terms;
pub mod get_times;
pub mod get_wallet;
pub mod list_daily_balances;
pub mod list_member_wallets;
