//! Published and consumed events.

pub mod consumed;

pub mod published;
