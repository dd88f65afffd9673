//! How the money of an approved withdrawal leaves, until it is final.

pub mod dissolve_payouts;
pub mod lease_payout;
pub mod mark_withdrawal_paid;
pub mod payout_state;
pub mod propose_payout_correction;
pub mod send_payouts;
pub mod settle_payouts;
