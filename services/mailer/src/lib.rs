//! The service mailer.
