//! The operator's money: movements, backing, holdings, solvency, the proof of liabilities.

pub mod check_bridge;
pub mod check_holdings;
pub mod check_solvency;
pub mod collect_cash;
pub mod get_backing;
pub mod get_liabilities;
pub mod get_treasury;
pub mod propose_movement;
pub mod publish_liabilities;
