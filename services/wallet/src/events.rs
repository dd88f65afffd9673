//! What the wallet tells others, and what it hears.

pub mod consumed;

pub mod published;
