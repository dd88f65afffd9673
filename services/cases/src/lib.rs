//! The service cases: what members ask and object to, the answers of staff, and the register of complaints. In reading
//! order: types ([domain]), use cases ([app]), SQL ([store]), the gRPC server ([grpc]), and what it publishes ([events]).

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
