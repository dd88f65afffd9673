//! The money of trades: funded, settled, claimed.

pub mod fund_trade;
pub mod settle_trade;
pub mod sum_claims;
