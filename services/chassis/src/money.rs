//! Money: integer cents, checked arithmetic, exact text. Amounts are computed only here.

mod rate;
mod units;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::rate::{Conversion, Rate, Rounding};
pub use self::units::{SignedUnits, Units};

/// An amount in cents of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Cents(i64);

/// Text that is not an amount, or arithmetic past the range of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// Not of the form `123` or `123.45` with at most ten digits before the point.
    #[error("enter an amount with at most two decimals")]
    Malformed,
    /// The result does not fit.
    #[error("the amount is out of range")]
    OutOfRange,
}

impl Cents {
    /// No money: 0 cents.
    pub const ZERO: Self = Self(0);

    /// An amount of this many cents.
    #[must_use]
    pub const fn new(cents: i64) -> Self {
        Self(cents)
    }

    /// The number of cents.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Reads an amount as written on the wire: `^(0|[1-9][0-9]{0,9})(\.[0-9]{1,2})?$` and nothing else.
    ///
    /// # Errors
    /// [`AmountError::Malformed`] for any other text.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let whole_ok = (1..=10).contains(&whole.len()) && digits(whole) && (whole == "0" || !whole.starts_with('0'));
        let fraction_ok = fraction.is_none_or(|part| (1..=2).contains(&part.len()) && digits(part));
        if !whole_ok || !fraction_ok {
            return Err(AmountError::Malformed);
        }
        let dollars: i64 = whole.parse().map_err(|_| AmountError::Malformed)?;
        let cents: i64 = match fraction {
            None => 0,
            Some(part) => {
                let number: i64 = part.parse().map_err(|_| AmountError::Malformed)?;
                if part.len() == 1 { number * 10 } else { number }
            }
        };
        Ok(Self(dollars * 100 + cents))
    }

    /// Adds two amounts.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn plus(self, other: Self) -> Result<Self, AmountError> {
        self.0.checked_add(other.0).map(Self).ok_or(AmountError::OutOfRange)
    }

    /// Subtracts; the result may be negative.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn minus(self, other: Self) -> Result<Self, AmountError> {
        self.0.checked_sub(other.0).map(Self).ok_or(AmountError::OutOfRange)
    }

    /// The same amount the other way.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] on overflow.
    pub fn negated(self) -> Result<Self, AmountError> {
        self.0.checked_neg().map(Self).ok_or(AmountError::OutOfRange)
    }

    /// This share of a positive amount in hundredths of a percent, rounded half up to the cent.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if the result does not fit.
    pub fn share_half_up(self, basis_points: u32) -> Result<Self, AmountError> {
        let scaled = i128::from(self.0) * i128::from(basis_points) + 5_000;
        i64::try_from(scaled.div_euclid(10_000)).map(Self).map_err(|_| AmountError::OutOfRange)
    }

    /// floor(self x numerator / denominator), for a positive denominator.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if the denominator is not positive or the result does not fit.
    pub fn scaled_floor(self, numerator: i64, denominator: i64) -> Result<Self, AmountError> {
        if denominator <= 0 {
            return Err(AmountError::OutOfRange);
        }
        let product = i128::from(self.0) * i128::from(numerator);
        i64::try_from(product.div_euclid(i128::from(denominator))).map(Self).map_err(|_| AmountError::OutOfRange)
    }

    /// The amount as written on the wire: `12.5` dollars are `12.50`, whole dollars have no decimals.
    #[must_use]
    pub fn to_wire(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (dollars, cents) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        if cents == 0 { format!("{sign}{dollars}") } else { format!("{sign}{dollars}.{cents:02}") }
    }
}

/// As people read it: `$1,234.50`, `-$0.05`.
impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = (self.0.unsigned_abs() / 100).to_string();
        let mut grouped = String::with_capacity(dollars.len() + dollars.len() / 3);
        for (index, digit) in dollars.chars().enumerate() {
            if index > 0 && (dollars.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}${grouped}.{:02}", self.0.unsigned_abs() % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::{AmountError, Cents};

    /// [D-G1] Amounts are read exactly or refused, never rounded.
    #[test]
    fn reads_amounts_exactly_or_refuses_them() {
        for (text, cents) in [
            ("0", 0),
            ("0.5", 50),
            ("0.05", 5),
            ("100", 10_000),
            ("100.10", 10_010),
            ("87", 8_700),
            ("9999999999", 999_999_999_900),
            ("9999999999.99", 999_999_999_999),
        ] {
            assert_eq!(Cents::parse(text), Ok(Cents::new(cents)), "{text}");
        }
        for text in [
            "",
            " ",
            "00",
            "01",
            "-1",
            "+1",
            "1.",
            ".5",
            "1.234",
            "1.000",
            "1e2",
            "1E2",
            "1_000",
            "1,000",
            " 1",
            "1 ",
            "1\n",
            "NaN",
            "inf",
            "0x10",
            "10000000000",
            "99999999999999999999",
            "1.2.3",
            "1..2",
            "１",
            "٣",
            "$1",
            "1.-1",
            "1.+1",
            "--1",
            "null",
            "[]",
            "1f",
            "1.5e1",
            "1e-400",
            "1e400",
            "∞",
            "½",
        ] {
            assert_eq!(Cents::parse(text), Err(AmountError::Malformed), "{text:?}");
        }
    }

    /// [MSG-04] [D-G1] Amounts are written exactly.
    #[test]
    fn writes_amounts_exactly() {
        for (cents, wire, people) in [
            (0, "0", "$0.00"),
            (5, "0.05", "$0.05"),
            (50, "0.50", "$0.50"),
            (8_700, "87", "$87.00"),
            (123_456_789, "1234567.89", "$1,234,567.89"),
            (-12_345, "-123.45", "-$123.45"),
            (i64::MIN, "-92233720368547758.08", "-$92,233,720,368,547,758.08"),
        ] {
            assert_eq!(Cents::new(cents).to_wire(), wire);
            assert_eq!(Cents::new(cents).to_string(), people);
        }
    }

    /// [D-W2] The fee of 2.5 % is rounded half up, never falls with the amount, and splitting gains at most a cent a part.
    #[test]
    fn takes_shares_half_up() {
        let fee = |cents| Cents::new(cents).share_half_up(250).map(Cents::get);
        assert_eq!(fee(5_000), Ok(125));
        assert_eq!(fee(5_020), Ok(126));
        assert_eq!(fee(5_019), Ok(125));
        assert_eq!(fee(10_001), Ok(250));
        let mut before = 0;
        for cents in 5_000..20_000 {
            let now = fee(cents).unwrap_or_default();
            assert!(now >= before);
            before = now;
            let halves = fee(cents / 2).unwrap_or_default() + fee(cents - cents / 2).unwrap_or_default();
            assert!((halves - now).abs() <= 1);
        }
    }

    /// [D-I1] Values are scaled with floor and without overflow in between.
    #[test]
    fn scales_with_floor() {
        assert_eq!(Cents::new(10_000).scaled_floor(1_050_001, 1_000_000), Ok(Cents::new(10_500)));
        assert_eq!(Cents::new(i64::MAX).scaled_floor(1, 1), Ok(Cents::new(i64::MAX)));
        assert_eq!(Cents::new(i64::MAX).scaled_floor(2, 1), Err(AmountError::OutOfRange));
        assert_eq!(Cents::new(1).scaled_floor(1, 0), Err(AmountError::OutOfRange));
    }

    #[test]
    fn arithmetic_is_checked() {
        assert_eq!(Cents::new(i64::MAX).plus(Cents::new(1)), Err(AmountError::OutOfRange));
        assert_eq!(Cents::new(i64::MIN).minus(Cents::new(1)), Err(AmountError::OutOfRange));
        assert_eq!(Cents::new(i64::MIN).negated(), Err(AmountError::OutOfRange));
    }
}
