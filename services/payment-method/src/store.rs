//! The SQL of this service, one module per table.

pub mod methods;
pub mod signatures;
