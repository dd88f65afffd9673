//! The SQL of this service, one module per table.

pub mod plan_values;
pub mod plans;
pub mod trades;
