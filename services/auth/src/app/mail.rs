//! Mails that auth asks for, and their secrets.

pub mod answer_mail_requests;
pub mod get_mail_secret;
