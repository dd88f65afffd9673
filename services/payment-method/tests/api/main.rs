//! The use cases of payment-method through its gRPC server, on a real database.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod address_proofs;
mod callers;
mod chain;
mod chain_bitcoin;
mod chain_evm;
mod chain_hostile;
mod chain_payouts;
mod evidence;
mod fixture;
mod holdings;
mod lookup;
mod member_data;
mod own_addresses;
mod personal;
mod platform;
mod providers;
mod quotes;
mod rates;
mod scale;
mod scripted;
mod signatures;
mod simulation;
mod status;
mod values;
