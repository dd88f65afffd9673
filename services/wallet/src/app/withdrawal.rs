//! Withdrawals as the member makes them: request, destination, fee.

pub mod ask_confirmation;
pub mod cancel_disowned;
pub mod confirm_destination;
pub mod find_known_destinations;
pub mod get_withdrawal_state;
pub mod pay_withdrawal_fee;
pub mod request_withdrawal;
pub mod set_destination;
