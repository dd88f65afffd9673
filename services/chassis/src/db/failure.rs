//! Classifies database errors by whether a retry can succeed.

use std::time::Duration;

/// How long a caller waits before a call whose connection was lost is sent again.
const RECONNECT: Duration = Duration::from_millis(200);

/// Whether the server shuts down, starts, or is no longer the one that writes: another connection will do.
pub(crate) fn is_changing_over(code: &str) -> bool {
    matches!(code, "57P01" | "57P02" | "57P03" | "25006")
}

/// When another try makes sense after a connection was lost to a restart or a failover of the server; `None` for every
/// other error. The statement, or the commit, may have taken effect.
#[must_use]
pub fn retry_after(error: &sqlx::Error) -> Option<Duration> {
    let is_lost = match error {
        sqlx::Error::Io(error) => error.kind() != std::io::ErrorKind::TimedOut,
        sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(database) => database.code().is_some_and(|code| is_changing_over(&code)),
        _ => false,
    };
    is_lost.then_some(RECONNECT)
}

/// The name of the constraint that an error is about.
#[must_use]
pub fn constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(|database| database.constraint())
}

/// Whether PostgreSQL refused a text for a U+0000 in it, which JSON and query strings can hold but no column can.
#[must_use]
pub fn is_unstorable(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == "22021" || code == "22P05")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Fault, Kind};

    /// [D-H1] [D-H3] An event that arrives while a database changes over is delivered again, and is no dead letter.
    #[test]
    fn a_connection_that_a_proxy_closes_in_its_handshake_is_worth_another_try() {
        let closed = sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".to_owned());
        assert_eq!(closed.kind(), Kind::Unavailable);
        assert_eq!(retry_after(&closed), Some(RECONNECT));
    }
}
