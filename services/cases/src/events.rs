//! Published events.

pub mod published;
