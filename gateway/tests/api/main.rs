//! The gateway against fake services: what it lets through, and what it makes of answers.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod fixture;

mod bound_sessions;
mod certificates;
mod closing;
mod contract;
mod course_media;

mod destinations;

mod errors;

mod factors;

mod files;

mod money;
mod notices;

mod passkeys;
mod plans;
mod queue;

mod session;

mod slow;

mod staff;

mod status;

mod terms;
mod web;
