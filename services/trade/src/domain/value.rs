//! The value index of a plan (D-I1, D-R4): dated points with a source, published by two people, in order.

use chassis::validate::{Checks, FieldError, is_text};
use time::OffsetDateTime;

/// A value from a moment on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// In millionths, above zero: 1,000,000 is the value 1.
    pub micros: i64,
    /// From when on it is in force.
    pub at: OffsetDateTime,
    pub source: String,
}

/// A value that is not published yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// In millionths, not checked yet.
    pub micros: i64,
    /// Unset for the moment of publication.
    pub at: Option<OffsetDateTime>,
    pub source: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpublishable {
    /// It would be in force only later.
    Future,
    /// Not after the newest one, or before what members' trades were opened or matured at.
    OutOfOrder,
}

impl Draft {
    /// Reads a draft as typed, without the blanks around its source; its moment to the microsecond, which is what is
    /// kept and compared.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn parse(typed: Self) -> Result<Self, Vec<FieldError>> {
        let at = typed.at.map(OffsetDateTime::truncate_to_microsecond);
        let draft = Self { at, source: typed.source.trim().to_owned(), ..typed };
        let mut checks = Checks::default();
        let possible = (1..=1_000_000_000_000).contains(&draft.micros);
        checks.that(possible, "value", "Value must be above 0 and at most 1,000,000");
        checks.that(is_text(&draft.source, 3, 300), "source", "Source must have 3 to 300 characters");
        checks.passed(draft)
    }

    /// The value as it would be published now, after `newest`: the newest value, or the newest moment by whose value the
    /// money of a trade is decided already.
    ///
    /// # Errors
    /// [`Unpublishable`] says why the value is refused.
    pub fn publish(self, newest: Option<OffsetDateTime>, now: OffsetDateTime) -> Result<Value, Unpublishable> {
        let at = self.at.unwrap_or(now);
        if at > now {
            return Err(Unpublishable::Future);
        }
        if newest.is_some_and(|newest| at <= newest) {
            return Err(Unpublishable::OutOfOrder);
        }
        Ok(Value { micros: self.micros, at, source: self.source })
    }
}

/// Millionths as people read them: `1.05`, `2`.
#[must_use]
pub fn to_text(micros: i64) -> String {
    let (whole, fraction) = (micros / 1_000_000, micros % 1_000_000);
    if fraction == 0 {
        return whole.to_string();
    }
    format!("{whole}.{fraction:06}").trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime};

    use super::{Draft, Unpublishable, to_text};

    fn draft(at: Option<OffsetDateTime>) -> Draft {
        Draft { micros: 1_050_000, at, source: "Exchange close".to_owned() }
    }

    /// [D-R4] A value is never in the future and never before the newest one.
    #[test]
    fn values_are_published_in_order() {
        let now = OffsetDateTime::UNIX_EPOCH + Duration::days(100);
        let (earlier, later) = (now - Duration::seconds(1), now + Duration::seconds(1));
        assert_eq!(draft(None).publish(None, now).map(|value| value.at), Ok(now));
        assert_eq!(draft(Some(earlier)).publish(None, now).map(|value| value.at), Ok(earlier));
        assert_eq!(draft(Some(now)).publish(Some(earlier), now).map(|value| value.at), Ok(now));
        assert_eq!(draft(Some(later)).publish(None, now), Err(Unpublishable::Future));
        assert_eq!(draft(Some(earlier)).publish(Some(earlier), now), Err(Unpublishable::OutOfOrder));
        assert_eq!(draft(Some(earlier)).publish(Some(now), now), Err(Unpublishable::OutOfOrder));
        assert_eq!(draft(None).publish(Some(now), now), Err(Unpublishable::OutOfOrder));
    }

    /// [D-R4] A value is above zero and has a source.
    #[test]
    fn a_value_is_above_zero_and_has_a_source() {
        for micros in [0, -1, i64::MIN, i64::MAX] {
            assert_eq!(Draft::parse(Draft { micros, ..draft(None) }).expect_err("invalid")[0].field, "value");
        }
        let anonymous = Draft { source: "  \u{7} ".to_owned(), ..draft(None) };
        assert_eq!(Draft::parse(anonymous).expect_err("invalid")[0].field, "source");
        assert!(Draft::parse(Draft { micros: 1, ..draft(None) }).is_ok());
    }

    #[test]
    fn millionths_are_readable() {
        for (micros, text) in [(1_000_000, "1"), (1_050_000, "1.05"), (1, "0.000001"), (12_345_678, "12.345678")] {
            assert_eq!(to_text(micros), text);
        }
    }
}
