//! Amounts of assets in their smallest units.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::AmountError;

/// An amount of an asset in its smallest unit, e.g. satoshi; never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Units(i128);

/// An amount of an asset in its smallest unit that may be negative: a difference, or a sum of payments in and out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SignedUnits(i128);

impl Units {
    /// This many of the smallest unit.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if it is negative.
    pub const fn new(units: i128) -> Result<Self, AmountError> {
        if units >= 0 { Ok(Self(units)) } else { Err(AmountError::OutOfRange) }
    }

    /// The number of the smallest unit.
    #[must_use]
    pub const fn get(self) -> i128 {
        self.0
    }

    /// Reads what [`fmt::Display`] writes.
    ///
    /// # Errors
    /// [`AmountError::Malformed`] for anything but digits.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(AmountError::Malformed);
        }
        text.parse().map(Self).map_err(|_| AmountError::OutOfRange)
    }

    /// Adds units.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn plus(self, other: Self) -> Result<Self, AmountError> {
        self.0.checked_add(other.0).map(Self).ok_or(AmountError::OutOfRange)
    }

    /// How far two numbers of units are apart.
    #[must_use]
    pub const fn distance(self, other: Self) -> Self {
        Self((self.0 - other.0).abs())
    }

    /// As a number of whole units, without zeros at the end.
    #[must_use]
    pub fn whole(self, decimals: u8) -> String {
        point(self.0, decimals.into())
    }

    /// This many times as many units.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn times(self, count: u16) -> Result<Self, AmountError> {
        self.0.checked_mul(i128::from(count)).map(Self).ok_or(AmountError::OutOfRange)
    }
}

impl From<Units> for String {
    fn from(units: Units) -> Self {
        units.to_string()
    }
}

impl TryFrom<String> for Units {
    type Error = AmountError;

    fn try_from(text: String) -> Result<Self, AmountError> {
        Self::parse(&text)
    }
}

/// The number of the smallest unit.
impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl SignedUnits {
    /// The number of the smallest unit.
    #[must_use]
    pub const fn get(self) -> i128 {
        self.0
    }

    /// Reads what [`fmt::Display`] writes.
    ///
    /// # Errors
    /// [`AmountError::Malformed`] for anything but digits, after a minus or not.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        match text.strip_prefix('-') {
            Some(digits) => Units::parse(digits).map(|units| Self(-units.0)),
            None => Units::parse(text).map(Self::from),
        }
    }

    /// Without its sign.
    #[must_use]
    pub const fn magnitude(self) -> Units {
        Units(self.0.saturating_abs())
    }

    /// Adds another.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn plus(self, other: Self) -> Result<Self, AmountError> {
        self.0.checked_add(other.0).map(Self).ok_or(AmountError::OutOfRange)
    }

    /// Subtracts another.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn minus(self, other: Self) -> Result<Self, AmountError> {
        self.0.checked_sub(other.0).map(Self).ok_or(AmountError::OutOfRange)
    }
}

impl From<Units> for SignedUnits {
    fn from(units: Units) -> Self {
        Self(units.0)
    }
}

/// The number of the smallest unit, after a minus if it is negative.
impl fmt::Display for SignedUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number with its decimal point, without zeros at the end.
pub(super) fn point(number: i128, decimals: u32) -> String {
    let digits = format!("{number:0>width$}", width = decimals as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals as usize);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{SignedUnits, Units};
    use crate::money::AmountError;

    #[test]
    fn units_are_written_as_they_are_read() {
        for text in ["0", "513809", "33000000000000000000"] {
            assert_eq!(Units::parse(text).map(|units| units.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "-1", "+1", "1.5", "1e3"] {
            assert!(Units::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn units_are_shown_as_whole_ones() {
        let whole = |units: &str, decimals| Units::parse(units).map(|units| units.whole(decimals));
        assert_eq!((whole("513809", 8), whole("100000000", 8)), (Ok("0.00513809".to_owned()), Ok("1".to_owned())));
        assert_eq!((whole("5", 0), whole("0", 6)), (Ok("5".to_owned()), Ok("0".to_owned())));
    }

    /// [D-Q8] A difference is read and written with its sign.
    #[test]
    fn differences_have_a_sign() {
        let units = |text| SignedUnits::parse(text);
        let less = units("930").and_then(|held| held.minus(units("1000")?));
        assert_eq!((less, less.map(|less| less.to_string())), (units("-70"), Ok("-70".to_owned())));
        assert_eq!(less.map(|less| less.magnitude().get()), Ok(70));
        for wrong in ["", "-", "--1", "1.0", "+1"] {
            assert_eq!(units(wrong), Err(AmountError::Malformed), "{wrong}");
        }
    }
}
