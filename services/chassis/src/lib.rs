//! What every service stands on, and no business rule. In reading order: what a value is ([money], [clock]), how a
//! call is refused ([error]), who calls ([keys], [identity], [auth_client]), may do what ([permission]) and decided what ([decision]), how state
//! is kept ([db], [idempotency], [proposal], [audit], [roots]), how services talk ([grpc], [batch], [bus], [outbox], [inbox], [dead_letter]), and how a
//! process lives ([config], [telemetry], [process]).

#![warn(missing_docs)]

/// The allocator of every process: with the one of libc a fifth of the gateway's time was spent in it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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

#[cfg(feature = "testing")]
pub mod testing;
