//! Plans, values and trades, pure.

pub mod field;
pub mod plan;
pub mod trade;
pub mod value;
