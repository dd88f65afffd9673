//! Plans, values and trades, without I/O.

pub mod disclosure;
pub mod facts;
pub mod plan;
pub mod trade;
pub mod value;
