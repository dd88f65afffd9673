//! Payments of a running product on its nodes: those of members, and those of the operator.

pub mod pay;
pub mod sign;
