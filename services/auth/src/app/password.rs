//! Passwords: proof, change, reset.

pub mod change_password;
pub mod forgot_password;
pub mod password_proof;
pub mod reset_password;
