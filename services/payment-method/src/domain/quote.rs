//! Quotes: how much of an asset an amount in dollars is, for a while (D-Q1, D-Q3).

use chassis::id::{MemberId, MethodId, QuoteId};
use std::collections::HashSet;

use chassis::money::{AmountError, Cents, Conversion, Rate, Units};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use time::{Duration, OffsetDateTime};

use super::method::{Derivation, Fields};
use super::network;
use super::rate::{Agreed, Point};

/// How long a quote lasts.
pub const LIFE: Duration = Duration::minutes(15);
/// Quotes of a member that may be open at once.
pub const OPEN_LIMIT: i64 = 20;
/// Tails that are tried at first; then ten times as many, until one is free.
const TAILS: u32 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Direction {
    Deposit,
    Withdrawal,
}

/// A coin or token on one chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    pub chain: String,
    pub symbol: String,
    /// Of a token; empty for the coin of the chain.
    pub contract: String,
    /// Digits after the point of a whole unit.
    pub decimals: u8,
    /// By how many of the smallest unit the open quotes of one address differ.
    pub tail_step: i64,
    /// Whether it is a stablecoin.
    pub pegged: bool,
}

impl Asset {
    /// Whether a method is of this asset.
    #[must_use]
    pub fn is_of(&self, fields: &Fields) -> bool {
        fields.currency == self.symbol && network::chain(&fields.network) == Some(self.chain.as_str())
    }
}

/// An amount to quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    pub direction: Direction,
    /// As requested; gross.
    pub requested: Cents,
    /// What the units are worth.
    pub priced: Cents,
}

/// By how much a payment may differ from its quote and still be worth the quoted rate: the larger of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tolerance {
    /// In hundredths of a percent of the quoted amount.
    pub bps: u16,
    pub cents: Cents,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { bps: 100, cents: Cents::new(500) }
    }
}

/// Also the stored answer of the keyed call that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    pub id: QuoteId,
    pub user_id: MemberId,
    pub direction: Direction,
    pub amount: Cents,
    pub priced: Cents,
    pub method_id: MethodId,
    pub method_version: i32,
    pub currency: String,
    pub network: String,
    /// The platform's, of deposits; empty for withdrawals.
    pub address: String,
    pub memo: String,
    pub chain: String,
    pub contract: String,
    pub decimals: u8,
    /// In the smallest unit, as a number.
    pub units: String,
    pub rate_micros: i64,
    pub spread_bps: u16,
    pub sources: Vec<Point>,
    pub created_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    /// How the address was derived, if it is one of the member's own.
    #[serde(default)]
    pub derivation: Option<Derivation>,
}

impl Quote {
    #[must_use]
    pub fn is_open(&self, now: OffsetDateTime) -> bool {
        now < self.expires_at
    }

    /// Whether a payment that arrived at this moment may count at the quoted rate.
    #[must_use]
    pub fn covers(&self, arrived_at: OffsetDateTime) -> bool {
        (self.created_at..=self.expires_at).contains(&arrived_at)
    }

    /// What these units are worth at the quoted rate; `None` if they are worth more or less than the quote by too much.
    #[must_use]
    pub fn value_of(&self, units: Units, tolerance: Tolerance) -> Option<Cents> {
        let rate = Rate::new(self.rate_micros).ok()?;
        let conversion = Conversion { rate, decimals: self.decimals, spread_bps: self.spread_bps };
        let value = conversion.value_received(units).ok()?;
        let share = self.priced.scaled_floor(tolerance.bps.into(), 10_000).ok()?;
        let allowed = share.max(tolerance.cents).get().unsigned_abs();
        (value.get().abs_diff(self.priced.get()) <= allowed).then_some(value)
    }
}

/// The conversion of an amount at a rate: deposits are valued at the bid, payouts at the ask.
#[must_use]
pub fn conversion(direction: Direction, asset: &Asset, agreed: &Agreed, spread_bps: u16) -> Conversion {
    let rate = match direction {
        Direction::Deposit => agreed.bid,
        Direction::Withdrawal => agreed.ask,
    };
    Conversion { rate, decimals: asset.decimals, spread_bps }
}

/// The units of an amount before a tail.
///
/// # Errors
/// If they do not fit, or are none.
pub fn units(amount: Amount, conversion: Conversion) -> Result<Units, AmountError> {
    let units = match amount.direction {
        Direction::Deposit => conversion.units_due(amount.priced)?,
        Direction::Withdrawal => conversion.units_paid(amount.priced)?,
    };
    if units.get() > 0 { Ok(units) } else { Err(AmountError::OutOfRange) }
}

/// A range of units of which each differs by a tail from the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tails {
    pub first: Units,
    /// Exclusive.
    pub end: Units,
    step: i128,
}

impl Tails {
    /// The tails of an amount, which is rounded up to what can be typed at an exchange: the shortest ranges first, and each ten
    /// times as long as the one before. There are as many as it takes.
    ///
    /// # Errors
    /// If the amount does not fit.
    pub fn of(units: Units, asset: &Asset) -> Result<impl Iterator<Item = Self>, AmountError> {
        let step = i128::from(asset.tail_step);
        let missing = (step - units.get().rem_euclid(step)).rem_euclid(step);
        let first = units.plus(Units::new(missing)?)?;
        let counts = std::iter::successors(Some(TAILS), |count| count.checked_mul(10));
        Ok(counts.map_while(move |count| {
            let end = first.plus(Units::new(step.checked_mul(count.into())?).ok()?).ok()?;
            Some(Self { first, end, step })
        }))
    }

    /// The smallest that no open quote has.
    #[must_use]
    pub fn free(self, taken: &HashSet<Units>) -> Option<Units> {
        let next = |units: &Units| units.plus(Units::new(self.step).ok()?).ok();
        let all = std::iter::successors(Some(self.first), next).take_while(|units| *units < self.end);
        all.into_iter().find(|units| !taken.contains(units))
    }
}

/// The fields of the method that a quote copies: a withdrawal goes to the member, not to the address of the method.
#[must_use]
pub fn shown(direction: Direction, fields: &Fields) -> (String, String) {
    match direction {
        Direction::Deposit => (fields.address.clone(), fields.memo.clone()),
        Direction::Withdrawal => (String::new(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use chassis::id::{MemberId, MethodId, QuoteId};
    use std::collections::HashSet;

    use chassis::money::{Cents, Units};
    use time::{Duration, OffsetDateTime};

    use super::{Asset, Direction, LIFE, Quote, Tails, Tolerance};

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn units(number: i128) -> Units {
        Units::new(number).expect("not negative")
    }

    fn asset(tail_step: i64) -> Asset {
        let (chain, symbol, contract) = ("tron".to_owned(), "USDT".to_owned(), String::new());
        Asset { chain, symbol, contract, decimals: 6, tail_step, pegged: true }
    }

    /// The tail that a quote gets.
    fn tail(amount: i128, step: i64, taken: &HashSet<Units>) -> Units {
        let asset = asset(step);
        let mut ranges = Tails::of(units(amount), &asset).expect("they fit");
        ranges.find_map(|tails| tails.free(taken)).expect("one is free")
    }

    /// [D-Q3] Tails are a satoshi apart, or 0.001 USDT; the smallest that is free is taken, and they never run out.
    #[test]
    fn tails_tell_quotes_apart() {
        for (amount, step) in [(500_000_000, 1_000), (513_809, 1)] {
            let mut taken = HashSet::new();
            for number in 0..250 {
                let next = tail(amount, step, &taken);
                assert_eq!(next, units(amount + number * i128::from(step)));
                assert!(taken.insert(next));
            }
            taken.remove(&units(amount + 7 * i128::from(step)));
            assert_eq!(tail(amount, step, &taken), units(amount + 7 * i128::from(step)));
        }
    }

    /// [D-Q3] Exchanges take few digits: what is quoted of a stablecoin has three after the point.
    #[test]
    fn units_are_rounded_up_to_a_tail() {
        for (amount, expected) in [(500_100_021, 500_101_000), (500_100_000, 500_100_000), (1, 1_000)] {
            assert_eq!(tail(amount, 1_000, &HashSet::new()), units(expected));
        }
    }

    fn quote() -> Quote {
        Quote {
            id: QuoteId::default(),
            user_id: MemberId::default(),
            direction: Direction::Deposit,
            amount: Cents::new(50_000),
            priced: Cents::new(50_000),
            method_id: MethodId::default(),
            method_version: 1,
            currency: "BTC".to_owned(),
            network: "Bitcoin".to_owned(),
            address: String::new(),
            memo: String::new(),
            chain: "bitcoin".to_owned(),
            contract: String::new(),
            decimals: 8,
            units: "500000".to_owned(),
            rate_micros: 100_000_000_000,
            spread_bps: 0,
            sources: Vec::new(),
            created_at: NOW,
            expires_at: NOW + LIFE,
            derivation: None,
        }
    }

    /// [D-N3] A quote is a promise for what arrives while it is open, neither before nor after.
    #[test]
    fn a_quote_covers_what_arrives_while_it_is_open() {
        let moment = Duration::milliseconds(1);
        for (at, expected) in [(NOW - moment, false), (NOW, true), (NOW + LIFE, true), (NOW + LIFE + moment, false)] {
            assert_eq!(quote().covers(at), expected, "{at}");
        }
    }

    /// [D-N3] Up to 1 % or $5.00 above or below the quote, whichever is more, is worth the quoted rate.
    #[test]
    fn a_quote_counts_for_an_amount_near_it() {
        let value = |satoshi, amount| {
            let quote = Quote { priced: Cents::new(amount), ..quote() };
            quote.value_of(units(satoshi), Tolerance::default()).map(Cents::get)
        };
        for (satoshi, expected) in [
            (500_000, Some(50_000)),
            (505_000, Some(50_500)),
            (495_000, Some(49_500)),
            (505_010, None),
            (494_980, None),
        ] {
            assert_eq!(value(satoshi, 50_000), expected, "{satoshi}");
        }
        assert_eq!(value(990_000, 100_000), Some(99_000));
        assert_eq!(value(989_000, 100_000), None);
    }
}
