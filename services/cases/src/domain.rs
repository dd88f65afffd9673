//! Types and rules, without I/O.

pub mod case;

pub mod file;
pub mod message;

pub mod working_days;
