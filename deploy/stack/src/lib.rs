//! Starts the whole product from its real binaries, with a PostgreSQL and a RabbitMQ of its own,
//! on free ports; behind `make run`, the journey and fault tests and the browser tests.

pub mod postgres;
pub mod process;
pub mod rabbitmq;
pub mod testbed;

mod place;
mod ports;
