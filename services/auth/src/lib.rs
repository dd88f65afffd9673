//! Accounts, sessions and staff: authentication with passwords, codes and links. In reading order: types and rules
//! ([domain]), secrets ([secrets], [hasher], [tokens], [passkeys]), use cases ([app]), SQL ([store]), published events ([events]),
//! the client of wallet ([clients]) and the gRPC server ([grpc]).

use sqlx::migrate::Migrator;

pub mod domain;

pub mod error;

pub mod secrets;

pub mod hasher;

pub mod tokens;

pub mod passkeys;

pub mod app;

pub mod store;

pub mod events;

pub mod clients;

pub mod grpc;

pub mod config;

/// The schema of this service, on top of the chassis's.
pub static MIGRATOR: Migrator = sqlx::migrate!();
