//! Dollars and other decimal numbers, which no float rounds on their way into JSON.

use std::fmt;

use chassis::money::Cents;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A number written exactly, without going through a float.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number(String);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// US dollars, with at most two decimals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = f64, example = 125.5)]
pub struct Dollars(#[serde(serialize_with = "exactly")] Cents);

impl Dollars {
    /// Dollars from cents.
    #[must_use]
    pub fn from_cents(cents: i64) -> Self {
        Self(Cents::new(cents))
    }

    /// The same amount to compute with, or for people to read.
    #[must_use]
    pub const fn cents(&self) -> Cents {
        self.0
    }
}

/// As on the wire.
impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_wire())
    }
}

fn exactly<S: Serializer>(cents: &Cents, serializer: S) -> Result<S::Ok, S::Error> {
    Number(cents.to_wire()).serialize(serializer)
}

/// A decimal number: a percentage with at most two decimals, or a plan's value with at most six.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = f64, example = 8.5)]
pub struct Decimal(Number);

impl Decimal {
    /// A decimal from an integer of its smallest unit, without trailing zeros.
    #[must_use]
    pub fn new(value: i64, decimals: u32) -> Self {
        let unit = 10u64.pow(decimals);
        let sign = if value < 0 { "-" } else { "" };
        let (whole, fraction) = (value.unsigned_abs() / unit, value.unsigned_abs() % unit);
        if fraction == 0 {
            return Self(Number(format!("{sign}{whole}")));
        }
        let fraction = format!("{fraction:0width$}", width = decimals as usize);
        Self(Number(format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))))
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Number};

    #[test]
    fn decimals_have_no_trailing_zeros() {
        assert_eq!(Decimal::new(1_050_000, 6), Decimal(Number("1.05".to_owned())));
        assert_eq!(Decimal::new(-525, 2), Decimal(Number("-5.25".to_owned())));
    }
}
