//! The plans, and what members invest in them.

pub mod plans;

pub mod trades;
