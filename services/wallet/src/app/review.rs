//! What staff see of a transaction, and how they decide it.

pub mod approve_transaction;
pub mod claim_transaction;
pub mod find_blockers;
pub mod find_returns;
pub mod get_figures;
pub mod get_queue;
pub mod get_review;
pub mod list_staff_transactions;
pub mod note_viewing;
pub mod reject_transaction;
