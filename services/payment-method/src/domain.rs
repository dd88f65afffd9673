//! Methods, networks and addresses, without I/O.

pub mod address;
pub mod method;
pub mod network;
