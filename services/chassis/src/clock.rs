//! Time: the database's clock is authoritative; a use case reads it once and passes it on.

use crate::db::PgConnection;
pub use prost_types::Timestamp;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

const DAY: StaticFormatDescription = format_description!("[month repr:long] [day padding:none], [year]");
const TIME: StaticFormatDescription = format_description!("[hour repr:12 padding:none]:[minute] [period case:upper]");

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

/// For people: `November 21, 2026 at 2:05 PM UTC`.
#[must_use]
pub fn to_text(at: OffsetDateTime) -> String {
    let at = at.to_offset(UtcOffset::UTC);
    format!("{} at {} UTC", day_to_text(at.date()), at.format(TIME).unwrap_or_default())
}

/// For people: `November 21, 2026`.
#[must_use]
pub fn day_to_text(day: Date) -> String {
    day.format(DAY).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::{day_to_text, to_text};

    /// [D-G6] [U22] People read moments in UTC, and one form of them.
    #[test]
    fn moments_are_written_in_one_form() {
        assert_eq!(to_text(datetime!(2026-11-05 23:30 -02:00)), "November 6, 2026 at 1:30 AM UTC");
        assert_eq!(to_text(datetime!(2026-11-21 14:05:59 UTC)), "November 21, 2026 at 2:05 PM UTC");
        assert_eq!(to_text(datetime!(2026-11-21 12:00 UTC)), "November 21, 2026 at 12:00 PM UTC");
        assert_eq!(day_to_text(date!(2026 - 11 - 01)), "November 1, 2026");
    }
}
