//! All SQL.

pub mod plan_values;
pub mod plans;
pub mod trades;
