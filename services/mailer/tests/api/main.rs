//! The mailer on a real database, a real broker, a real SMTP conversation and a push service over TLS.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accept_event;
mod announcements;
mod broker;
mod dead_letters;
mod fixture;
mod mail_roots;
mod notices;
mod push;
mod push_service;
mod samples;
mod send_mails;
mod send_test;
mod smtp_sink;
mod templates;
