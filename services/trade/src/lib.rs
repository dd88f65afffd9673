//! The service trade: plans, their published values, and the trades of members, opened and ended as sagas with wallet.
//! In reading order: types ([domain]), use cases ([app]), SQL ([store]), the client of wallet ([clients]), endpoints
//! ([grpc], [events]).

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
