//! The contract between the services: messages, clients and servers generated from `solvane/**/*.proto`.

#![expect(missing_docs, reason = "generated; the comments are in the .proto files")]

/// What every package uses.
pub mod common {
    pub mod v1 {
        tonic::include_proto!("solvane.common.v1");
    }
}
/// Accounts, sessions, staff.
pub mod auth {
    pub mod v1 {
        tonic::include_proto!("solvane.auth.v1");
    }
}
/// The ledger and all that moves money.
pub mod wallet {
    pub mod v1 {
        tonic::include_proto!("solvane.wallet.v1");
    }
}
/// Plans and trades.
pub mod trade {
    pub mod v1 {
        tonic::include_proto!("solvane.trade.v1");
    }
}
/// Mails, for staff.
pub mod mailer {
    pub mod v1 {
        tonic::include_proto!("solvane.mailer.v1");
    }
}
/// Platform and personal payment methods.
pub mod payment_method {
    pub mod v1 {
        tonic::include_proto!("solvane.payment_method.v1");
    }
}
