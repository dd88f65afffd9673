//! Bodies and errors of the API: what every route reads and writes.

pub mod idempotency;

pub mod json;

pub mod convert;

pub mod compression;

pub(crate) mod large;

pub mod names;

pub mod error;

pub mod refusal_page;
