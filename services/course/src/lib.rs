//! The service course: the content of the course in versions, and the progress of members. Wallet knows who bought it. In
//! reading order: types ([domain]), use cases ([app]), SQL ([store]), the client of wallet ([clients]), the gRPC server
//! ([grpc]), uploaded files in the object store ([objects]) and their processing ([transcoder]), files on disk ([folder]), and the content of a new product ([content]).

use sqlx::migrate::Migrator;

pub mod config;

pub mod error;

pub mod domain;

pub mod app;

pub mod store;

pub mod clients;

pub mod grpc;

pub mod objects;

pub mod transcoder;

pub mod folder;

pub mod content;

/// The schema of this service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!();
