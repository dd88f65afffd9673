//! The services behind the gateway: their clients, what is kept of their answers, and what they report.

pub mod clients;

pub mod cache;

pub mod live;
