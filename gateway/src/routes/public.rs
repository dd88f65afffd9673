//! What visitors may ask for without a session, and the stream of updates.

pub mod documents;

pub mod files;

pub mod events;

pub mod status;
