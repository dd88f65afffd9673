//! Methods, networks, addresses and the statements about them, without I/O.

pub mod address;
pub mod method;
pub mod network;
pub mod statement;
