//! Starts the whole product from its real binaries, with a private PostgreSQL and RabbitMQ on free ports. Used by `make
//! run`, the journey and fault tests, and the browser tests.

pub mod host;
pub mod nodes;
pub mod running;
pub mod servers;
pub mod service;
pub mod treasurer;

mod stack;

pub use crate::{
    service::{Replica, Service},
    stack::{
        Stack, operator, preparation,
        settings::{Logs, Settings},
    },
};
