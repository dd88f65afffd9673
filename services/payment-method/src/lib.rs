//! The service payment-method: platform methods (deposit addresses) and personal ones (payout destinations), rates and
//! quotes. In reading order: types ([domain]), signatures ([treasury]), use cases ([app]), SQL ([store]), nodes and
//! sources of rates ([clients]), endpoints ([grpc], [events]).

use sqlx::migrate::Migrator;

pub mod config;

pub mod error;

pub mod domain;

pub mod treasury;

pub mod app;

pub mod store;

pub mod clients;

pub mod events;

pub mod grpc;

/// The schema of this service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();
