//! The handlers by resource: request and response types, conversions, calls.

pub mod auth;

pub mod transactions;

pub mod plans;

pub mod trades;

pub mod users;

pub mod factors;

pub mod payment_methods;

pub mod destinations;

pub mod courses;

pub mod files;

pub mod events;

pub mod liabilities;

pub mod terms;

pub mod wallet;

pub mod activity;
pub mod admin;

use serde::Serialize;
use utoipa::ToSchema;

/// An answer that only says that it worked.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    /// Always true.
    pub success: bool,
    /// A sentence for people.
    pub message: String,
}

impl Done {
    /// It worked.
    #[must_use]
    pub fn saying(message: &str) -> Self {
        Self { success: true, message: message.to_owned() }
    }
}
