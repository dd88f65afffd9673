//! Cursors of lists that are sorted newest first.

use chassis::id::TransactionId;
use std::fmt;
use std::str::FromStr;

use chassis::error::Refusal;
use time::OffsetDateTime;

use crate::domain::transaction::Transaction;

/// The last transaction of a page: the next page begins behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: OffsetDateTime,
    pub id: TransactionId,
}

impl Cursor {
    /// The cursor of the page behind this transaction.
    #[must_use]
    pub const fn of(transaction: &Transaction) -> Self {
        Self { created_at: transaction.created_at, id: transaction.id }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.created_at.unix_timestamp_nanos() / 1_000, self.id.get().simple())
    }
}

impl FromStr for Cursor {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let parse = || {
            let (micros, id) = text.split_once('.')?;
            let nanos = i128::from(micros.parse::<i64>().ok()?) * 1_000;
            let created_at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
            Some(Self { created_at, id: id.parse().ok()? })
        };
        parse().ok_or_else(|| Refusal::field("cursor", "This page link is not valid."))
    }
}

/// The last posting of a page of a statement, and the last of the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementCursor {
    /// The next page begins behind this posting.
    pub after: i64,
    /// The statement ends with this one.
    pub until: i64,
}

impl fmt::Display for StatementCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.after, self.until)
    }
}

impl FromStr for StatementCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (after, until) = text.split_once('.').ok_or(())?;
        Ok(Self { after: after.parse().map_err(|_| ())?, until: until.parse().map_err(|_| ())? })
    }
}

/// A place in the journal, which is in the order in which transactions of the database were complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JournalCursor {
    /// The transaction that wrote the posting.
    pub xid: u64,
    pub id: i64,
}

impl fmt::Display for JournalCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.xid, self.id)
    }
}

impl FromStr for JournalCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (xid, id) = text.split_once('.').ok_or(())?;
        Ok(Self { xid: xid.parse().map_err(|_| ())?, id: id.parse().map_err(|_| ())? })
    }
}

/// A place in the journal of each bucket.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalPlaces(pub Vec<JournalCursor>);

impl fmt::Display for JournalPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&places.join("_"))
    }
}

impl FromStr for JournalPlaces {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.split('_').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// Reads an optional cursor, empty for none.
///
/// # Errors
/// Invalid on the field `cursor`.
pub fn optional<T: FromStr>(text: &str) -> Result<Option<T>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| Refusal::field("cursor", "This page link is not valid."))
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{Cursor, JournalCursor, JournalPlaces, StatementCursor};

    #[test]
    fn a_cursor_survives_the_wire_and_nothing_else_is_one() {
        let cursor = Cursor {
            created_at: OffsetDateTime::UNIX_EPOCH + time::Duration::microseconds(17),
            id: Uuid::new_v4().into(),
        };
        assert_eq!(cursor.to_string().parse::<Cursor>(), Ok(cursor));
        for bad in ["x", "1", "1.", ".1", "1.zz", "99999999999999999999.0"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
        let (statement, journal) = (StatementCursor { after: 3, until: 9 }, JournalCursor { xid: 7, id: 12 });
        assert_eq!(statement.to_string().parse(), Ok(statement));
        assert_eq!(journal.to_string().parse(), Ok(journal));
        let places = JournalPlaces(vec![journal, JournalCursor::default()]);
        assert_eq!(places.to_string(), "7.12_0.0");
        assert_eq!("7.12_0.0".parse(), Ok(places));
        assert!("7.12_".parse::<JournalPlaces>().is_err());
        for bad in ["x", "1", "1.", ".1", "1.zz", "99999999999999999999.0", "-1.1"] {
            assert!(bad.parse::<JournalCursor>().is_err(), "{bad}");
        }
    }
}
