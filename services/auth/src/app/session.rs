//! Logging in and out, and sessions.

pub mod begin_passkey_login;
pub mod check_session;
pub mod end_session;
pub mod ending;
pub mod get_session;
pub mod issuing;
pub mod list_sessions;
pub mod login;
pub mod login_by_passkey;
pub mod logout;
pub mod opening;
