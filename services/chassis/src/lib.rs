//! What every service is built on, and no business rule. In reading order: what a value is ([money], [clock]), how a
//! call is refused ([error]), who calls ([keys], [identity], [auth_client]), may do what ([permission]) and decided what
//! ([decision]), how state is kept ([db], [idempotency], [proposal], [audit], [roots]), how services talk ([grpc], [batch],
//! [bus], [outbox], [inbox], [dead_letter]), and how a process lives ([config], [telemetry], [process], [command]).

#![warn(missing_docs)]

pub mod money;

pub mod clock;

pub mod error;

pub mod keys;

pub mod identity;

pub mod permission;

pub mod decision;

pub mod db;

pub mod idempotency;

pub mod proposal;

pub mod audit;

pub mod grpc;

pub mod auth_client;

pub mod batch;

pub mod bus;

pub mod outbox;

pub mod roots;

pub mod inbox;

pub mod dead_letter;

pub mod config;

pub mod telemetry;

pub mod process;

pub mod command;

#[cfg(feature = "testing")]
pub mod testing;
