//! Errors for unidentified or unauthorised callers.

use std::time::Duration;

use proto::common::v1::ErrorReason;
use time::OffsetDateTime;

use crate::clock;
use crate::error::{Kind, Refusal};

/// No session, or a dead one.
#[must_use]
pub fn unauthenticated() -> Refusal {
    Refusal::new(Kind::Unauthenticated, ErrorReason::Unauthenticated, "Please log in to continue.")
}

/// Known, but not allowed to.
#[must_use]
pub fn not_permitted() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::PermissionDenied, "You do not have permission to do this.")
}

/// Somebody whose second factor was given too long ago.
#[must_use]
pub fn step_up_required() -> Refusal {
    Refusal::new(
        Kind::Forbidden,
        ErrorReason::StepUpRequired,
        "Enter the code from your authenticator app to continue.",
    )
}

/// Staff whose role is too new to decide anything.
#[must_use]
pub fn role_too_new(decides_from: OffsetDateTime) -> Refusal {
    let at = decides_from + Duration::from_secs(59);
    let message = format!("Your role is new. You can decide from {}.", clock::to_text(at));
    Refusal::new(Kind::Forbidden, ErrorReason::RoleTooNew, message)
}

/// Staff without an authenticator, where one is needed.
#[must_use]
pub fn must_enrol_totp() -> Refusal {
    Refusal::new(Kind::Forbidden, ErrorReason::TotpEnrolmentRequired, "Please set up an authenticator app first.")
}
