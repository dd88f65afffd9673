//! Starts the whole product from its real binaries, with a private PostgreSQL and RabbitMQ on free ports. Used by `make
//! run`, the journey and fault tests, and the browser tests.

pub mod broker;
pub mod certificates;
pub mod clock;
pub mod control;
pub mod databases;
pub mod launch;
pub mod nodes;
pub mod pay;
pub mod postgres;
pub mod process;
pub mod rabbitmq;
pub mod running;
pub mod secrets;
pub mod servers;
pub mod service;
pub mod sign;
pub mod smtp;
pub mod testbed;

mod balancer;
pub mod network;
pub mod operator;
pub mod place;
pub mod ports;
pub mod preparation;
mod settings;
mod stack;

pub use crate::{
    service::{Replica, Service},
    settings::{Logs, Settings},
    stack::Stack,
};
