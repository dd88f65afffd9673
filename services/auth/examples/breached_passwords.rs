//! Builds the filter of breached passwords from a list, one password a line:
//! `cargo run -p auth --example breached_passwords < list > services/auth/data/breached-passwords.bin`

use std::io::{Read, Write, stdin, stdout};

use auth::domain::breached;

fn main() -> anyhow::Result<()> {
    let mut list = Vec::new();
    stdin().read_to_end(&mut list)?;
    let list = String::from_utf8(list)?;
    Ok(stdout().write_all(&breached::build(list.lines()).map_err(anyhow::Error::msg)?)?)
}
