//! The wallet: what moves in and out of it, at which price, and its proofs.

pub mod transactions;

pub mod payment_methods;

pub mod destinations;

pub mod daily_balances;

pub mod statements;

pub mod liabilities;

pub mod quotes;

pub mod solvency;

pub mod terms;

pub mod wallet;
