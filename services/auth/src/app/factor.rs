//! Second factors: passkeys, authenticators, recovery codes.

pub mod begin_passkey;
pub mod begin_step_up;
pub mod begin_totp;
pub mod confirm_totp;
pub mod factor_proof;
pub mod finish_passkey;
pub mod get_factors;
pub mod list_passkeys;
pub mod remove_passkey;
pub mod remove_totp;
pub mod replace_recovery_codes;
pub mod reset_totp;
pub mod second_factor;
pub mod step_up;
