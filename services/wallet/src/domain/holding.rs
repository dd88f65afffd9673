//! What the platform holds on chains, compared with the books in units.

use std::cmp::Ordering;

use chassis::money::{AmountError, SignedUnits, Units};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use time::OffsetDateTime;

/// What payment-method observed.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    pub assets: Vec<AssetHolding>,
    pub outflows: Vec<Outflow>,
    pub undone: Vec<Undone>,
    pub shared: Vec<SharedAddress>,
}

/// What is held of an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetHolding {
    pub chain: String,
    /// A code such as `USDT`.
    pub asset: String,
    pub decimals: u8,
    /// What is held, and what should be according to all payments that were seen; `None` if it is not known now.
    pub sums: Option<(Units, SignedUnits)>,
    /// The oldest reading of its addresses.
    pub at: Option<OffsetDateTime>,
    /// For display: millionths of a dollar for a whole unit, and when that was.
    pub rate: Option<(i64, OffsetDateTime)>,
    pub value_cents: Option<i64>,
    pub addresses: Vec<HeldAt>,
}

/// An address of the platform that members share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedAddress {
    pub currency: String,
    pub network: String,
    pub address: String,
    pub memo: String,
    pub version: i32,
    /// The treasury key's; empty without one.
    pub signature: String,
    /// That the operator has its private key.
    #[serde(default)]
    pub proof: Option<AddressProof>,
}

/// A message that the private key of an address signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressProof {
    pub message: String,
    pub signature: String,
    /// The day in the message, as `2026-11-28`.
    pub day: String,
}

/// What an address of the platform holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldAt {
    pub address: String,
    pub units: Units,
    pub at: OffsetDateTime,
}

/// A payment on a chain from or to the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    pub chain: String,
    /// In lower case, without `0x`.
    pub txid: String,
    pub vout: u32,
    pub asset: String,
    pub decimals: u8,
    pub units: Units,
    /// The platform's address.
    pub address: String,
    /// Empty where the chain does not tell.
    pub counterparty: String,
    /// As payment-method names it, e.g. `final`.
    pub state: String,
    pub seen_at: OffsetDateTime,
}

/// A payment from the platform that belongs to no withdrawal yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outflow {
    pub number: i64,
    pub payment: Movement,
    /// Hashes of transactions of the same payout that it replaced.
    pub replaces: Vec<String>,
}

/// A payment that does not count any more, or never did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub payment: Movement,
    pub changed_at: OffsetDateTime,
    /// Whether it was a payment to the platform, and not a payout.
    pub is_deposit: bool,
}

/// What is held of an asset beside the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    pub units: Units,
    pub books: SignedUnits,
    /// Negative if less is held than the books say.
    pub difference: SignedUnits,
}

/// How what is held compares with the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum State {
    Ok,
    /// More is held.
    Warn,
    /// Less is held.
    Fail,
    Unknown,
}

impl State {
    /// That of a comparison; unknown without one.
    #[must_use]
    pub fn of(comparison: Option<Comparison>) -> Self {
        match comparison.map(|one| one.difference.cmp(&SignedUnits::default())) {
            None => Self::Unknown,
            Some(Ordering::Equal) => Self::Ok,
            Some(Ordering::Greater) => Self::Warn,
            Some(Ordering::Less) => Self::Fail,
        }
    }
}

impl AssetHolding {
    /// The books count every payment that was seen but those that no withdrawal accounts for: what is missing because of them is
    /// the difference.
    ///
    /// # Errors
    /// If the units do not fit.
    pub fn compare(&self, unexplained: &[Outflow]) -> Result<Option<Comparison>, AmountError> {
        let (Some((units, recorded)), Some(at)) = (self.sums, self.at) else { return Ok(None) };
        let mut books = recorded;
        for outflow in unexplained {
            let payment = &outflow.payment;
            if (&payment.chain, &payment.asset) == (&self.chain, &self.asset) && payment.seen_at <= at {
                books = books.plus(payment.units.into())?;
            }
        }
        Ok(Some(Comparison { units, books, difference: SignedUnits::from(units).minus(books)? }))
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::{SignedUnits, Units};
    use time::{Duration, OffsetDateTime};

    use super::{AssetHolding, Movement, Outflow, State};

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn holding(units: i128, recorded: &str) -> AssetHolding {
        AssetHolding {
            chain: "bitcoin".to_owned(),
            asset: "BTC".to_owned(),
            decimals: 8,
            sums: Some((Units::new(units).expect("positive"), SignedUnits::parse(recorded).expect("a number"))),
            at: Some(NOW),
            rate: None,
            value_cents: None,
            addresses: Vec::new(),
        }
    }

    fn outflow(asset: &str, units: i128, seen_at: OffsetDateTime) -> Outflow {
        let payment = Movement {
            chain: "bitcoin".to_owned(),
            txid: "ab".repeat(32),
            vout: 0,
            asset: asset.to_owned(),
            decimals: 8,
            units: Units::new(units).expect("positive"),
            address: "ours".to_owned(),
            counterparty: "theirs".to_owned(),
            state: "final".to_owned(),
            seen_at,
        };
        Outflow { number: 1, payment, replaces: Vec::new() }
    }

    /// [D-Q8] Case 20: the difference is exactly what left without a payout, until the reading; a balance that no payment
    /// explains is one too, and without a reading nothing is known.
    #[test]
    fn the_difference_is_what_is_not_explained() {
        let outflows =
            [outflow("BTC", 70, NOW), outflow("USDT", 1_000, NOW), outflow("BTC", 5, NOW + Duration::SECOND)];
        let compare = |held: &AssetHolding| {
            let comparison = held.compare(&outflows).expect("it fits");
            (comparison.map(|one| (one.books.get(), one.difference.get())), State::of(comparison))
        };
        assert_eq!(compare(&holding(930, "930")), (Some((1_000, -70)), State::Fail));
        assert_eq!(compare(&holding(1_001, "930")), (Some((1_000, 1)), State::Warn));
        assert_eq!(compare(&holding(0, "-70")), (Some((0, 0)), State::Ok));
        assert_eq!(compare(&AssetHolding { sums: None, ..holding(0, "0") }), (None, State::Unknown));
    }
}
