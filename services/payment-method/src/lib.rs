//! The service payment-method: platform methods (deposit addresses) and personal ones (payout destinations). In reading
//! order: what a method is ([domain]), what can be done ([app]), how it is kept ([store]), the doors ([grpc], [events]).

use sqlx::migrate::Migrator;

pub mod config;

pub mod error;

pub mod domain;

pub mod app;

pub mod store;

pub mod events;

pub mod grpc;

/// The schema of this service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();
