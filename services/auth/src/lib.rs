//! Accounts, sessions and staff: who somebody is, proven by passwords, codes and links. In reading order: what is true
//! of an account ([domain]), how secrets are made and checked ([secrets], [hasher], [tokens]), what can be done ([app])
//! and where it is kept ([store]), what is told to others ([events]), and the way in ([grpc]).

use sqlx::migrate::Migrator;

pub mod domain;

pub mod error;

pub mod secrets;

pub mod hasher;

pub mod tokens;

pub mod app;

pub mod store;

pub mod events;

pub mod grpc;

pub mod config;

/// The schema of this service, on top of the chassis's.
pub static MIGRATOR: Migrator = sqlx::migrate!();
