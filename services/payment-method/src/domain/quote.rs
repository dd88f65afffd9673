//! Quotes: how much of an asset an amount in dollars is, for a while (D-Q1, D-Q3).

use std::collections::HashSet;

use chassis::money::{AmountError, Cents, Conversion, Units};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::method::Fields;
use super::rate::{Agreed, Point};

/// How long a quote lasts.
pub const LIFE: Duration = Duration::minutes(15);
/// Quotes of a member that may be open at once.
pub const OPEN_LIMIT: i64 = 20;
/// How many quotes of one amount can be told apart.
pub const TAILS: u16 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Deposit,
    Withdrawal,
}

impl Direction {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deposit => "deposit",
            Self::Withdrawal => "withdrawal",
        }
    }
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

/// An amount to quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    pub direction: Direction,
    /// As requested; gross.
    pub requested: Cents,
    /// What the units are worth.
    pub priced: Cents,
}

/// Also the stored answer of the keyed call that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    pub id: Uuid,
    pub user_id: Uuid,
    pub direction: Direction,
    pub amount: Cents,
    pub priced: Cents,
    pub method_id: Uuid,
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
}

impl Quote {
    #[must_use]
    pub fn is_open(&self, now: OffsetDateTime) -> bool {
        now < self.expires_at
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

/// The units with every tail, the smallest first.
///
/// # Errors
/// If they do not fit.
pub fn with_tails(units: Units, asset: &Asset) -> Result<Vec<Units>, AmountError> {
    let step = Units::new(asset.tail_step.into())?;
    (0..TAILS).map(|tail| units.plus(step.times(tail)?)).collect()
}

/// The first of these that no open quote has.
#[must_use]
pub fn free(candidates: &[Units], taken: &HashSet<Units>) -> Option<Units> {
    candidates.iter().copied().find(|units| !taken.contains(units))
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
    use std::collections::HashSet;

    use chassis::money::Units;

    use super::{Asset, TAILS, free, with_tails};

    fn units(number: i128) -> Units {
        Units::new(number).expect("not negative")
    }

    /// [D-Q3] Tails are a satoshi apart, or 0.001 USDT and at most 0.099; the smallest that is free is taken.
    #[test]
    fn tails_tell_quotes_apart() {
        let asset = |tail_step| Asset {
            chain: "tron".to_owned(),
            symbol: "USDT".to_owned(),
            contract: String::new(),
            decimals: 6,
            tail_step,
            pegged: true,
        };
        let tether = with_tails(units(500_000_000), &asset(1_000)).expect("they fit");
        assert_eq!((tether.len(), tether[0], tether[99]), (100, units(500_000_000), units(500_099_000)));
        let satoshi = with_tails(units(513_809), &asset(1)).expect("they fit");
        assert_eq!(satoshi[99], units(513_908));
        let mut taken = HashSet::from([units(513_810)]);
        for _ in 1..TAILS {
            let next = free(&satoshi, &taken).expect("one is free");
            assert!(taken.insert(next));
        }
        assert_eq!(free(&satoshi, &taken), None);
    }
}
