//! Methods, networks, addresses and the statements about them, rates and quotes, without I/O.

pub mod address;
pub mod method;
pub mod network;
pub mod quote;
pub mod rate;
pub mod statement;
