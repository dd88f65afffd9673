//! The library shared by all services, without business rules. In reading order: values ([id], [money], [network], [clock], [hex]),
//! errors ([error]), requests ([validate], [page]), identity ([keys], [identity], [auth_client]), permissions ([permission])
//! and what auth signs ([decision], [destination]), state ([db], [idempotency], [proposal], [audit], [roots]), communication
//! ([grpc], [batch], [bus], [outbox], [inbox], [dead_letter]), personal data ([erasure], [member_data]), and the
//! process ([config], [telemetry], [log_limit], [sweep], [process], [command], [crash]).

#![warn(missing_docs)]

pub mod member_data;

pub mod id;

pub mod money;

pub mod network;

pub mod clock;

pub mod hex;

pub mod log_limit;

pub mod error;

pub mod validate;

pub mod page;

pub mod keys;

pub mod identity;

pub mod permission;

pub mod decision;

pub mod destination;

pub mod db;

pub mod idempotency;

pub mod staff_call;

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

pub mod erasure;

pub mod config;

pub mod sweep;

pub mod telemetry;

pub mod process;

pub mod settings;

pub mod command;

pub mod crash;

#[cfg(feature = "testing")]
pub mod testing;
