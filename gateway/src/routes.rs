//! The handlers by resource: request and response types, conversions, calls.

pub mod account;

pub mod money;

pub mod investments;

pub mod course;

pub mod public;

pub mod admin;
