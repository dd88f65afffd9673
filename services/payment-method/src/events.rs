//! What others hear of.

pub mod published;
