//! What protects an account, and what its owner sees of it.

pub mod check_destination_code;
pub mod get_payout_state;
pub mod issue_destination_code;
pub mod list_activity;
pub mod note_destination;
pub mod recovery;
pub mod safeguards;
pub mod securing;
pub mod security_log;
pub mod sign_decision;
