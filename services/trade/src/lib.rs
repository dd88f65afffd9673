//! The service trade: plans, their published values, and members' trades, opened and ended as sagas with wallet. In
//! reading order: what a plan and a trade are ([domain]), what can be done ([app]), how it is kept ([store]), whom it
//! asks ([clients]), the doors ([grpc], [events]).

use sqlx::migrate::Migrator;

pub mod config;

pub mod error;

pub mod domain;

pub mod app;

pub mod store;

pub mod clients;

pub mod events;

pub mod grpc;

/// The schema of this service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();
