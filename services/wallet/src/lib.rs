//! The wallet: the ledger and all movements of members' money. In reading order: types ([domain]), errors ([error]),
//! the posting engine ([posting]), SQL ([store]), use cases ([app]), and endpoints and clients ([grpc], [events],
//! [clients]).

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
        include_str!("../sql/05_rules.sql"),
        include_str!("../sql/10_ledger.sql"),
        include_str!("../sql/20_check.sql"),
        include_str!("../sql/40_as_of.sql"),
        include_str!("../sql/50_liabilities.sql"),
    ],
};
