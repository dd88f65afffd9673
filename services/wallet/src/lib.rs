//! The wallet: the ledger and all movements of members' money. In reading order: types ([domain]), errors ([error]),
//! the posting engine ([posting]), SQL ([store]), use cases ([app]), and endpoints and clients ([grpc], [events],
//! [clients]).

use chassis::db::{Bucketed, Schema};

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

/// How the ledger is divided into buckets of members. A bucket is a whole ledger; what is of staff, rare, or unique over all is in
/// the schema of the first one alone.
pub const BUCKETED: Bucketed = Bucketed {
    name: "wallet",
    shared: &[
        "member_buckets",
        "open_buckets",
        "proposals",
        "audit_rows",
        "dead_letters",
        "consumed_payments",
        "consumed_totals",
        "bridge_faults",
        "withdrawal_pauses",
        "cash_transfers",
        "plan_values",
        "open_gains",
        "liability_publications",
        "liability_counts",
        "liability_leaves",
        "liability_nodes",
        "liability_gains",
        "viewings",
        "claims",
    ],
};

/// The service's own schema; the chassis's tables come first.
pub const SCHEMA: Schema = Schema {
    migrations: &MIGRATOR,
    definitions: &[
        include_str!("../sql/05_rules.sql"),
        include_str!("../sql/10_causes.sql"),
        include_str!("../sql/11_accounts.sql"),
        include_str!("../sql/12_decide.sql"),
        include_str!("../sql/13_write.sql"),
        include_str!("../sql/14_post.sql"),
        include_str!("../sql/20_faults.sql"),
        include_str!("../sql/21_check.sql"),
        include_str!("../sql/40_as_of.sql"),
        include_str!("../sql/50_liabilities.sql"),
    ],
    bucketed: Some(BUCKETED),
};
