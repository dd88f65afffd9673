//! Starts the whole product from its real binaries, with a private PostgreSQL and RabbitMQ on free ports. Used by `make
//! run`, the journey and fault tests, and the browser tests.

pub mod attack;
pub mod audit;
pub mod broker;
pub mod certificates;
pub mod chaos;
pub mod client;
pub mod clock;
pub mod cluster;
pub mod control;
pub mod databases;
pub mod demo;
pub mod growth;
pub mod history;
pub mod mails;
pub mod nodes;
pub mod pay;
pub mod postgres;
pub mod process;
pub mod rabbitmq;
pub mod reconcile;
pub mod running;
pub mod samples;
pub mod secrets;
pub mod seed;
pub mod servers;
pub mod service;
pub mod sign;
pub mod smtp;
pub mod sweep;
pub mod testbed;
pub mod testing;
pub mod traffic;
pub mod year;

mod balancer;
mod network;
mod operator;
mod place;
mod ports;
mod preparation;
mod settings;
mod stack;

pub use crate::{
    service::{Replica, Service},
    settings::{Logs, Settings},
    stack::Stack,
};
