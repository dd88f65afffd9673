//! The handlers by resource: request and response types, conversions, calls.

pub mod auth;

pub mod transactions;

pub mod plans;

pub mod trades;

pub mod users;

pub mod factors;

pub mod passkeys;

pub mod payment_methods;

pub mod destinations;

pub mod courses;

pub mod course_media;

pub mod notes;

pub mod certificates;

pub mod cases;

pub mod closing;
pub mod daily_balances;
pub mod documents;
pub mod statements;

pub mod files;

pub mod events;

pub mod notices;

pub mod push;

pub mod status;

pub mod export;

pub mod liabilities;

pub mod quotes;

pub mod solvency;
pub mod terms;

pub mod wallet;

pub mod activity;
pub mod admin;
