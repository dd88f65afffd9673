//! The SQL of this service, one module per table.

pub mod address_proofs;
pub mod assets;
pub mod chain_cursors;
pub mod chain_payments;
pub mod consumed_payments;
pub mod deposit_addresses;
pub mod holdings;
pub mod member_data;
pub mod methods;
pub mod quotes;
pub mod rate_points;
pub mod rate_polls;
pub mod signatures;
pub mod signed_payouts;
pub mod treasury_addresses;
