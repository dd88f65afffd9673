//! Free TCP ports on the loopback address.

use std::{
    collections::HashSet,
    net::{Ipv4Addr, TcpListener},
    sync::{LazyLock, Mutex, PoisonError},
};

use anyhow::{Context, Result};

/// Below the range that Linux uses for outgoing connections, so that no client takes the port of a stopped process.
const FIRST: u16 = 15_000;
const COUNT: u16 = 16_000;
const TRIES: usize = 1_000;

static GIVEN: LazyLock<Mutex<HashSet<u16>>> = LazyLock::new(Mutex::default);

/// A free port, never returned twice by this process.
///
/// # Errors
/// When no free port turns up.
pub fn free() -> Result<u16> {
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    (0..TRIES)
        .map(|_| random())
        .find(|port| !given.contains(port) && TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .inspect(|port| {
            given.insert(*port);
        })
        .context("no free port on 127.0.0.1")
}

fn random() -> u16 {
    let [high, low, ..] = *uuid::Uuid::new_v4().as_bytes();
    FIRST + u16::from_be_bytes([high, low]) % COUNT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_free_and_given_once() {
        let mut ports = HashSet::new();
        for _ in 0..50 {
            // At once: other processes look for ports too.
            let port = free().expect("a port");
            std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect_err("nobody listens");
            ports.insert(port);
        }
        assert_eq!(ports.len(), 50);
    }
}
