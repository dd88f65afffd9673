//! Payments in: what a member asks for, what arrived, and the proof.

pub mod deposit_arrived;
pub mod list_owned_receipts;
pub mod match_payments;
pub mod request_deposit;
pub mod reserve_receipt;
pub mod resolve_quote;
pub mod take_back_deposit;
pub mod tell_consumed;
