//! The SQL of this service, one module per table.

pub mod member_data;
pub mod open_trades;
pub mod plan_values;
pub mod plans;
pub mod risk_answers;
pub mod trades;
