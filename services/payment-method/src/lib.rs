//! The service payment-method: platform methods (deposit addresses) and personal ones (payout destinations). In reading
//! order: what a method is ([domain]), what can be done ([app]), how it is kept ([store]), the doors ([grpc], [events]).

use sqlx::migrate::Migrator;

pub mod config;

pub mod error;

pub mod domain {
    //! Methods, networks and addresses, pure.

    pub mod address;
    pub mod method;
    pub mod network;
}

pub mod app {
    //! The use cases.

    pub mod confirm_proposal;
    pub mod create_payment_method;
    pub mod delete_payment_method;
    pub mod list_audit_rows;
    pub mod list_payment_methods;
    pub mod list_platform_methods;
    pub mod list_proposals;
    pub mod propose_platform_method;
    pub mod reject_proposal;
    pub mod resolve_deposit_method;
    pub mod resolve_withdrawal_method;
    pub mod update_payment_method;
}

pub mod store {
    //! All SQL.

    pub mod methods;
}

pub mod events {
    //! What others hear of.

    pub mod published;
}

pub mod grpc;

/// The schema of this service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();
