//! Events: what this service tells. It hears of none.

pub mod published;
