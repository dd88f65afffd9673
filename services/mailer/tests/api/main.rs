//! The mailer on a real database, a real broker and a real SMTP conversation.

mod accept_event;
mod broker;
mod fixture;
mod samples;
mod send_mails;
mod smtp_sink;
mod templates;
