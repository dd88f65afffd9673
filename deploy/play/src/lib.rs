//! Drives the product through its REST interface: a client, the seeds, members and staff at work, and the stack of tests.

pub mod client;
pub mod demo;
pub mod history;
pub mod mails;
pub mod paper;
pub mod request;
pub mod samples;
pub mod seed;
pub mod sweep;
pub mod testing;
pub mod traffic;
