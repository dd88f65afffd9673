//! Methods, networks and addresses, pure.

pub mod address;
pub mod method;
pub mod network;
