//! The wallet: the ledger and everything that moves a member's money. In reading order: what things are ([domain]),
//! how a call is refused ([error]), how money moves ([posting]), what is kept ([store]), what can be done ([app]), and
//! the ways in and out ([grpc], [events], [clients]).

pub mod domain;

pub mod error;

pub mod posting;

pub mod store;

pub mod app;

pub mod clients;

pub mod config;

pub mod events;

pub mod grpc;

static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// The service's own schema; the chassis's tables come first.
pub const SCHEMA: chassis::db::Schema = chassis::db::Schema {
    migrations: &MIGRATOR,
    definitions: &[
        include_str!("../sql/10_ledger.sql"),
        include_str!("../sql/20_check.sql"),
        include_str!("../sql/30_version_before.sql"),
        include_str!("../sql/40_as_of.sql"),
    ],
};
