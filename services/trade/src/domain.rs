//! Plans, values and trades, without I/O.

pub mod plan;
pub mod trade;
pub mod value;
