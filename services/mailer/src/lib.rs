//! The service mailer: events in, emails and notices out, in the app and to devices. In reading order: types ([domain]), use cases ([app]), SQL ([store]),
//! consumed events ([events]), the gRPC server for staff ([grpc]), the client of auth ([clients]), rendering ([render],
//! [message]) and delivery ([smtp], [push]).

use sqlx::migrate::Migrator;

pub mod config;

pub mod error;

pub mod domain {
    //! Mails, their templates and their tries, notices and announcements, and what devices show, pure.

    pub mod announcement;
    pub mod mail;
    pub mod notice;
    pub mod push;
    pub mod retry;
    pub mod template;
}

pub mod app {
    //! The use cases.

    pub mod accept_event;
    pub mod decide_proposal;
    pub mod end_announcement;
    pub mod get_notice_preferences;
    pub mod get_push;
    pub mod list_notices;
    pub mod mail_roots;
    pub mod propose_announcement;
    pub mod read_notices;
    pub mod send_mails;
    pub mod send_pushes;
    pub mod send_test;
    pub mod set_notice_preferences;
    pub mod subscribe_push;
    pub mod unsubscribe_push;
}

pub mod store {
    //! The SQL of this service, one module per table.

    pub mod announcements;
    pub mod mails;
    pub mod member_data;
    pub mod notice_preferences;
    pub mod notices;
    pub mod push_subscriptions;
    pub mod pushes;
}

pub mod events {
    //! The events that this service consumes, and what it publishes.

    pub mod consumed;
    pub mod published;
}

pub mod grpc;

pub mod clients;

pub mod render;

pub mod message;

pub mod smtp;

pub mod push;

/// The schema of this service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();
