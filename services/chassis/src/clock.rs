//! Time: the database's clock is authoritative; a use case reads it once and passes it on.

use crate::db::PgConnection;
pub use prost_types::Timestamp;
use time::OffsetDateTime;

/// The moment the transaction began, by the database's clock.
pub async fn now(conn: &mut PgConnection) -> Result<OffsetDateTime, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT transaction_timestamp() AS "now!""#).fetch_one(conn).await
}

/// For the wire.
#[must_use]
pub fn to_proto(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: i32::try_from(at.nanosecond()).unwrap_or_default() }
}

/// From the wire; `None` if it is no moment that the database can hold.
#[must_use]
pub fn from_proto(at: &Timestamp) -> Option<OffsetDateTime> {
    let nanos = u32::try_from(at.nanos).ok()?;
    OffsetDateTime::from_unix_timestamp(at.seconds).ok()?.replace_nanosecond(nanos).ok()
}
