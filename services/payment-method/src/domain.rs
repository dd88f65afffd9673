//! Methods, networks, addresses and the statements about them, rates, quotes, payments and the evidence they are, payouts, without I/O.

pub use chassis::network;

pub mod address;
pub mod address_proof;
pub mod deposit_key;
pub mod evidence;
pub mod method;
pub mod payment;
pub mod payout_batch;
pub mod quote;
pub mod rate;
pub mod statement;
