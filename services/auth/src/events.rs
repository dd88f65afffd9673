//! The events that this service publishes. It consumes none.

pub mod published;
