//! Drills of whole products: attacks, processes that die, machines that fail, a year, tables that grow.

pub mod attack;
pub mod chaos;
pub mod cluster;
pub mod growth;
pub mod year;
