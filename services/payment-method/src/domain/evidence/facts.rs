//! What is known about a deposit or payout and its payments.

use chassis::money::{Cents, Units};
use time::OffsetDateTime;

use crate::domain::payment::{Block, State, Way};
use crate::domain::quote::{Asset, Quote};

/// Whose the address of a payment to the platform is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Members share it: what arrives is distinguished by its units.
    Shared,
    /// The member in question: what arrives there is theirs, regardless of the amount.
    Member,
    Other,
}

/// A payment, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub symbol: String,
    /// Whether it is from or to the address in question.
    pub is_at_address: bool,
    pub owner: Owner,
    pub units: Units,
    pub state: State,
    pub depth: i32,
    pub block: Option<Block>,
    pub replaced_by: String,
    pub arrived_at: OffsetDateTime,
}

/// Which rate the value of the payments is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    Quote,
    Arrival,
}

/// Where it was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// There are payments.
    Found,
    /// No hash was given, and no payment matches exactly.
    NoHash,
    /// The node says that there is no such transaction.
    NoSuch,
    /// It is on another chain.
    Elsewhere(&'static str),
    /// It exists, and pays nothing to the platform; whether it pretends to.
    Foreign { worthless: bool },
    /// It runs a contract, whose payments in the coin of the chain cannot be seen.
    Hidden,
    /// It was observed, but the node does not show the same now.
    Unconfirmed,
    /// For the member: no payment with this hash has been observed.
    Unobserved,
    /// It has no effect.
    Reverted,
    /// Other transactions account for all that it pays.
    Consumed,
    /// No hash was given, and other transactions account for what would match.
    Taken,
    /// It was seen, and the money goes the other way.
    OtherWay,
    /// The chain cannot be observed, for this reason.
    Unknown(String),
}

/// How a quote of another member fits a payment: it was open when that was made, or had just ended, and is of the same amount or
/// of one within five percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rival {
    Exact,
    Near,
}

/// All that is known.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    pub way: Way,
    pub asset: &'a Asset,
    pub search: Search,
    pub payments: &'a [Seen],
    /// The height of the newest block.
    pub tip: i64,
    pub requested_at: OffsetDateTime,
    /// What the payment should be, in the smallest unit.
    pub units_due: Option<Units>,
    pub quote: Option<&'a Quote>,
    /// How the quote of another member fits one of the payments, if it fits better than that of this member.
    pub rival: Option<Rival>,
    pub claimed: Cents,
    /// What was paid is worth so much.
    pub value: Option<Cents>,
    pub basis: Basis,
}

impl Facts<'_> {
    /// Whether all of it arrived at own addresses of the member.
    pub(super) fn is_own(&self) -> bool {
        self.way == Way::In && self.payments.iter().all(|one| one.owner == Owner::Member)
    }

    /// `None` if the amounts are too large to be added.
    pub(super) fn paid(&self) -> Option<Units> {
        self.payments.iter().try_fold(Units::default(), |sum, one| sum.plus(one.units).ok())
    }
}
