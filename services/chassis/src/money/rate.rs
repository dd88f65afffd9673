//! Prices of assets, and the conversion between dollars and the smallest unit of an asset: integers only.

use serde::{Deserialize, Serialize};

use super::units::{Units, point};
use super::{AmountError, Cents};

/// Millionths of a dollar in a cent.
const MICROS_PER_CENT: i128 = 10_000;
/// Hundredths of a percent in a whole.
const BASIS_POINTS: i128 = 10_000;
/// Characters of a price that is read.
const LONGEST: usize = 64;
/// Digits after the point of a dollar that a rate keeps.
const SCALE: i32 = 6;

/// The price of a whole unit of an asset in millionths of a dollar; always positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(i64);

/// What happens to digits of a price after the sixth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// For a bid.
    Down,
    /// For an ask.
    Up,
}

/// How an asset is counted, and what the platform keeps of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    /// The price of a whole unit, before the spread.
    pub rate: Rate,
    /// Digits after the point of a whole unit.
    pub decimals: u8,
    /// In hundredths of a percent of the rate, to the platform's favour.
    pub spread_bps: u16,
}

impl Rate {
    /// A rate of this many millionths of a dollar.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if it is not positive.
    pub const fn new(micros: i64) -> Result<Self, AmountError> {
        if micros > 0 { Ok(Self(micros)) } else { Err(AmountError::OutOfRange) }
    }

    /// Millionths of a dollar.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Reads a price by the grammar of a JSON number: exact, up to the rounding of what is below a millionth of a dollar.
    ///
    /// # Errors
    /// [`AmountError::Malformed`] for any other text, [`AmountError::OutOfRange`] if it is not positive or too large.
    pub fn parse(text: &str, rounding: Rounding) -> Result<Self, AmountError> {
        let (digits, exponent) = decimal(text)?;
        let shift = exponent.checked_add(SCALE).ok_or(AmountError::OutOfRange)?;
        let micros = if shift >= 0 {
            let factor = power_of_ten(shift.unsigned_abs())?;
            digits.checked_mul(factor).ok_or(AmountError::OutOfRange)?
        } else {
            // Of a divisor that is larger than any number of digits nothing is left.
            let divisor = power_of_ten(shift.unsigned_abs()).unwrap_or(i128::MAX);
            let rest = digits.rem_euclid(divisor);
            digits.div_euclid(divisor) + i128::from(rounding == Rounding::Up && rest > 0)
        };
        Self::new(i64::try_from(micros).map_err(|_| AmountError::OutOfRange)?)
    }

    /// Halfway to another, rounded down.
    #[must_use]
    pub const fn midway(self, other: Self) -> Self {
        Self(self.0.midpoint(other.0))
    }

    /// Whether it differs from a reference by more than this share of it, in hundredths of a percent.
    #[must_use]
    pub fn is_off(self, reference: Self, basis_points: u16) -> bool {
        let distance = i128::from(self.0.abs_diff(reference.0));
        distance * BASIS_POINTS > i128::from(reference.0) * i128::from(basis_points)
    }

    /// Dollars for a whole unit, as written on the wire: without zeros at the end.
    #[must_use]
    pub fn to_wire(self) -> String {
        point(i128::from(self.0), SCALE.unsigned_abs())
    }
}

impl Conversion {
    /// The units that a member sends for an amount: at the rate less the spread, rounded up.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if the result does not fit.
    pub fn units_due(self, amount: Cents) -> Result<Units, AmountError> {
        let (scaled, price) = self.scaled(amount, BASIS_POINTS - i128::from(self.spread_bps))?;
        let units = scaled.div_euclid(price) + i128::from(scaled.rem_euclid(price) > 0);
        Units::new(units)
    }

    /// The units that a member is paid for an amount: at the rate plus the spread, rounded down.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if the result does not fit.
    pub fn units_paid(self, amount: Cents) -> Result<Units, AmountError> {
        let (scaled, price) = self.scaled(amount, BASIS_POINTS + i128::from(self.spread_bps))?;
        Units::new(scaled.div_euclid(price))
    }

    /// What units that were received are worth: at the rate less the spread, rounded down to the cent.
    ///
    /// # Errors
    /// [`AmountError::OutOfRange`] if the result does not fit.
    pub fn value_received(self, units: Units) -> Result<Cents, AmountError> {
        let share = BASIS_POINTS - i128::from(self.spread_bps);
        let price = i128::from(self.rate.0).checked_mul(share).filter(|price| *price > 0);
        let value = price.and_then(|price| price.checked_mul(units.get())).ok_or(AmountError::OutOfRange)?;
        let divisor = MICROS_PER_CENT * BASIS_POINTS * power_of_ten(self.decimals.into())?;
        i64::try_from(value.div_euclid(divisor)).map(Cents::new).map_err(|_| AmountError::OutOfRange)
    }

    /// The amount and the price of the smallest unit in one measure.
    fn scaled(self, amount: Cents, share: i128) -> Result<(i128, i128), AmountError> {
        let factor = power_of_ten(self.decimals.into())?.checked_mul(MICROS_PER_CENT * BASIS_POINTS);
        let scaled = factor.and_then(|factor| factor.checked_mul(i128::from(amount.get())));
        let price = i128::from(self.rate.0).checked_mul(share).filter(|price| *price > 0);
        scaled.filter(|scaled| *scaled >= 0).zip(price).ok_or(AmountError::OutOfRange)
    }
}

fn power_of_ten(exponent: u32) -> Result<i128, AmountError> {
    10_i128.checked_pow(exponent).ok_or(AmountError::OutOfRange)
}

/// The digits of a JSON number, and the power of ten that they count.
fn decimal(text: &str) -> Result<(i128, i32), AmountError> {
    let malformed = AmountError::Malformed;
    if text.len() > LONGEST {
        return Err(malformed);
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let is_number = (1..=3).contains(&unsigned.len()) && unsigned.bytes().all(|byte| byte.is_ascii_digit());
            (mantissa, exponent.parse::<i32>().ok().filter(|_| is_number).ok_or(malformed)?)
        }
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let (sign, whole) = whole.strip_prefix('-').map_or((1, whole), |whole| (-1, whole));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return Err(malformed);
    }
    let fraction = fraction.trim_end_matches('0');
    let number: i128 = format!("{whole}{fraction}").parse().map_err(|_| AmountError::OutOfRange)?;
    let decimals = i32::try_from(fraction.len()).map_err(|_| malformed)?;
    Ok((number * sign, exponent - decimals))
}

#[cfg(test)]
mod tests {
    use super::{Conversion, Rate, Rounding, Units};
    use crate::money::{AmountError, Cents};

    fn rate(text: &str) -> Rate {
        Rate::parse(text, Rounding::Down).expect("a rate")
    }

    /// [D-Q1] Case 1: $500.00 at 97,312.45 are 513,809 satoshi.
    #[test]
    fn a_deposit_asks_for_whole_units_rounded_up() {
        let conversion = Conversion { rate: rate("97312.45"), decimals: 8, spread_bps: 0 };
        assert_eq!(conversion.units_due(Cents::new(50_000)).map(Units::get), Ok(513_809));
        assert_eq!(conversion.units_paid(Cents::new(50_000)).map(Units::get), Ok(513_808));
        let largest = Conversion { rate: rate("0.000001"), decimals: 18, spread_bps: 0 };
        assert_eq!(largest.units_due(Cents::new(10_000_000)).map(Units::get), Ok(10_i128.pow(29)));
        assert_eq!(largest.units_due(Cents::new(i64::MAX)).map(Units::get), Err(AmountError::OutOfRange));
        assert!(conversion.units_due(Cents::new(-1)).is_err());
        let everything = Conversion { spread_bps: 10_000, ..conversion };
        assert!(everything.units_due(Cents::new(1)).is_err());
    }

    /// [D-Q1] Case 1: for any amount, rate, decimals and spread, a deposit is worth at least what was quoted and less
    /// than a unit more, and a payout at most what was quoted and less than a unit less.
    #[test]
    fn rounding_never_costs_the_platform_and_at_most_a_unit() {
        for round in 0..200_000_u64 {
            // Spread over all magnitudes, not only the largest.
            let number = |limit: i64| rand::random_range(1..=limit) >> rand::random_range(0..limit.ilog2());
            let amount = Cents::new(number(10_000_000).max(1));
            let conversion = Conversion {
                rate: Rate::new(number(1_000_000_000_000_000).max(1)).expect("positive"),
                decimals: rand::random_range(0..=18),
                spread_bps: rand::random_range(0..=500),
            };
            let told = format!("round {round}: {amount} {conversion:?}");
            let due = conversion.units_due(amount).expect(&told);
            assert!(conversion.value_received(due).expect(&told) >= amount, "{told}");
            let less = Units::new(due.get() - 1).expect(&told);
            assert!(conversion.value_received(less).expect(&told) < amount, "{told}");
            let paid = conversion.units_paid(amount).expect(&told);
            assert!(paid <= due, "{told}");
            // At the price of a payout: cents · 10^8 · 10^decimals against units · rate · (1 + spread).
            let worth = |units: i128| {
                units * i128::from(conversion.rate.micros()) * (10_000 + i128::from(conversion.spread_bps))
            };
            let quoted = i128::from(amount.get()) * 100_000_000 * 10_i128.pow(conversion.decimals.into());
            assert!(worth(paid.get()) <= quoted && worth(paid.get() + 1) > quoted, "{told}");
        }
    }

    /// [D-Q2] Case 4: a price is read exactly or refused.
    #[test]
    fn a_price_is_read_exactly_or_refused() {
        for (text, micros) in [
            ("97312.45", 97_312_450_000),
            ("1", 1_000_000),
            ("1.0", 1_000_000),
            ("1e5", 100_000_000_000),
            ("1E+5", 100_000_000_000),
            ("1.25e-2", 12_500),
            ("0.9998500224966255", 999_850),
            ("0.000001", 1),
            ("9223372036854.775807", i64::MAX),
        ] {
            assert_eq!(Rate::parse(text, Rounding::Down).map(Rate::micros), Ok(micros), "{text}");
        }
        assert_eq!(Rate::parse("0.9998500224966255", Rounding::Up).map(Rate::micros), Ok(999_851));
        assert_eq!(Rate::parse("1e-300", Rounding::Up).map(Rate::micros), Ok(1));
        for text in
            ["", " 1", "1 ", "+1", "01", "1.", ".5", "1e", "1e5000", "1,000", "1_000", "0x1", "NaN", "Infinity", "--1"]
        {
            assert_eq!(Rate::parse(text, Rounding::Down), Err(AmountError::Malformed), "{text}");
        }
        for text in ["0", "-1", "0.0000001", "9223372036854.775808", "1e30", "1e-300"] {
            assert_eq!(Rate::parse(text, Rounding::Down), Err(AmountError::OutOfRange), "{text}");
        }
        assert!(Rate::parse(&"9".repeat(65), Rounding::Down).is_err());
    }

    #[test]
    fn rates_are_written_as_they_are_read() {
        for text in ["97312.45", "1", "0.000001", "0.99985"] {
            assert_eq!(rate(text).to_wire(), text);
        }
    }

    /// [D-Q2] One percent is the limit, included.
    #[test]
    fn distance_is_a_share_of_the_reference() {
        assert!(!rate("101").is_off(rate("100"), 100));
        assert!(!rate("99").is_off(rate("100"), 100));
        assert!(rate("101.000001").is_off(rate("100"), 100));
        assert!(rate("98.999999").is_off(rate("100"), 100));
    }
}
