//! The checks of the ledger, and what repairs it.

pub mod check_ledger;
pub mod get_integrity;
pub mod propose_rebuild;
pub mod propose_reopening;
