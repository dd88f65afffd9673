//! The SQL of this service, one module per table.

pub mod member_data;
pub mod methods;
pub mod signatures;
