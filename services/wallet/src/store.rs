//! All SQL but the posting engine's.

pub mod accounts;

pub mod entries;

pub mod trade_fundings;

pub mod transactions;

pub mod withdrawal_gate;
