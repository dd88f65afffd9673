//! Accounts, sessions and staff: authentication with passwords, codes and links. In reading order: types and rules
//! ([domain]), secrets ([secrets], [hasher], [tokens], [passkeys]), use cases ([app]), SQL ([store]), published events ([events]),
//! the client of wallet ([clients]) and the gRPC server ([grpc]).

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

static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// The service's own schema; the chassis's tables come first.
pub const SCHEMA: chassis::db::Schema = chassis::db::Schema {
    migrations: &MIGRATOR,
    definitions: &[include_str!("../sql/10_secrets.sql")],
    bucketed: None,
};
