//! Types, parsing and rules of accounts, without I/O.

pub mod asker;
pub mod brand;
pub mod breached;
pub mod code;
pub mod details;
pub mod device;
pub mod email;
pub mod fields;
pub mod passkey;
pub mod password;
pub mod safeguard;
pub mod second_factor;
pub mod security_event;
pub mod security_link;
pub mod session;
pub mod throttle;
pub mod totp;
pub mod user;
