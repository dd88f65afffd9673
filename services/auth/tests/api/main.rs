//! The service through its gRPC server, on a real database: results, rows and events.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod activity;
mod authenticator;
mod callers;
mod change_password;
mod close_account;
mod decisions;
mod destination_codes;
mod directory;
mod fixture;
mod forget_expired;
mod forgot_password;
mod login;
mod member_factor;
mod passkeys;
mod profile;
mod register;
mod resend_code;
mod second_factor;
mod secrecy;
mod security_log;
mod sessions;
mod staff;
mod takeover;
mod verify_email;
mod wallet;
mod webauthn;
mod wire;
