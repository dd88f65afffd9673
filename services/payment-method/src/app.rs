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
