//! What a member has besides money: their session and its protection, profile, notices and cases.

pub mod auth;

pub mod users;

pub mod factors;

pub mod passkeys;

pub mod activity;

pub mod cases;

pub mod closing;

pub mod notices;

pub mod push;

pub mod export;
