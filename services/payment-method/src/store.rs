//! All SQL.

pub mod methods;
