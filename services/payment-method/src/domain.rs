//! Methods, networks, addresses and the statements about them, rates, quotes and payments, without I/O.

pub mod address;
pub mod method;
pub mod network;
pub mod payment;
pub mod quote;
pub mod rate;
pub mod statement;
