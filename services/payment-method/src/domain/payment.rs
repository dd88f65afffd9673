//! Payments on a chain from or to an address of the platform, as they were observed.

use std::collections::BTreeMap;
use std::sync::Arc;

use chassis::money::{Cents, Units};
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};

use super::network::Format;

/// After so long without a look, the observer does not know when a payment arrived.
const OUTAGE: Duration = Duration::seconds(60);

/// What became of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum State {
    /// Sent, but in no block.
    Seen,
    /// In a block that may still be replaced.
    Included,
    /// In a block that will not be replaced.
    Final,
    /// Was in a block or waiting, and is in none now.
    Orphaned,
    /// Another transaction spent the same coins.
    Replaced,
    /// In a block without effect.
    Failed,
}

impl State {
    /// Whether it still pays, or may.
    #[must_use]
    pub const fn is_alive(self) -> bool {
        matches!(self, Self::Seen | Self::Included | Self::Final)
    }
}

/// Whether a payment is to the platform, or from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Way {
    In,
    Out,
    /// The network fee of a transaction of the platform.
    Fee,
}

/// A block of the active chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub height: i64,
    pub hash: String,
    pub at: OffsetDateTime,
}

/// Identifies a payment: a transaction and the index of the output or of the token's log in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// In lower case, without `0x`.
    pub txid: String,
    pub index: i32,
    pub way: Way,
}

/// A payment as a node reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub key: Key,
    /// Of a token, as its chain writes it; empty for the coin of the chain.
    pub contract: String,
    /// The platform's address, as staff entered it.
    pub address: String,
    /// The other party, if the node reports it.
    pub counterparty: String,
    pub units: Units,
    pub fate: Fate,
}

/// The balance of an address in a token or in the coin of its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Of the token, as its chain writes it; empty for the coin of the chain.
    pub contract: String,
    /// The platform's address, as staff entered it.
    pub address: String,
    pub units: Units,
}

/// Where a transaction is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Waiting,
    In(Block),
    /// In a block, without effect.
    Failed(Block),
    /// Another transaction spent the same coins: this one, if it is known.
    Replaced(String),
    /// In no block, and not waiting.
    Gone,
}

impl Fate {
    /// The block that a payment is in.
    #[must_use]
    pub const fn block(&self) -> Option<&Block> {
        match self {
            Self::In(block) | Self::Failed(block) => Some(block),
            Self::Waiting | Self::Replaced(_) | Self::Gone => None,
        }
    }
}

/// The newest block, and the height up to which blocks are final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    pub block: Block,
    /// Unset if the node does not report it; on Bitcoin, finality depends on the amount.
    pub final_height: Option<i64>,
}

/// An address of the platform.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Watched {
    pub address: String,
    /// As the chain compares it: the script on Bitcoin, 20 bytes elsewhere; in hexadecimal digits.
    pub script: String,
    /// When staff entered it.
    pub since: OffsetDateTime,
}

/// Whether a text is the hash of a transaction: 64 hexadecimal digits.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The own addresses of members on a chain. They are only ever added, so that each is read from the database once.
#[derive(Debug, Default)]
pub struct Derived {
    /// By key, the first index that is not among them.
    next: BTreeMap<i64, i32>,
    /// In the order of their scripts.
    addresses: Arc<Vec<Watched>>,
}

impl Derived {
    /// The index from which on addresses of a key are missing.
    #[must_use]
    pub fn next(&self, key: i64) -> i32 {
        self.next.get(&key).copied().unwrap_or(0)
    }

    /// All of them, with these new ones.
    pub fn add(&mut self, next: Vec<(i64, i32)>, new: Vec<Watched>) -> Arc<Vec<Watched>> {
        self.next.extend(next);
        if !new.is_empty() {
            let all = Arc::make_mut(&mut self.addresses);
            all.extend(new);
            all.sort_by(|one, other| one.script.cmp(&other.script));
            all.dedup_by(|one, other| one.script == other.script);
        }
        self.addresses.clone()
    }
}

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// In the order of their scripts.
    pub watched: &'a [Watched],
    /// The own addresses of members, in the order of their scripts.
    pub derived: &'a [Watched],
    /// Those of them whose balances are to be read.
    pub held: &'a [Watched],
    /// The contracts of the known tokens, as their chain writes them.
    pub contracts: &'a [String],
    /// Whether to search every block for payments in the coin of the chain.
    pub coin: bool,
}

impl<'a> Search<'a> {
    /// The watched address of a script.
    #[must_use]
    pub fn ours(&self, script: &str) -> Option<&'a Watched> {
        let among = |all: &'a [Watched]| {
            let place = all.binary_search_by(|one| one.script.as_str().cmp(script)).ok()?;
            all.get(place)
        };
        among(self.watched).or_else(|| among(self.derived))
    }
}

/// A transaction that a node knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub fate: Fate,
    /// Its payments to or from addresses of the platform.
    pub payments: Vec<Observation>,
    /// Whether it has a transfer to the platform that is ignored: of zero units, or of an unknown token.
    pub worthless: bool,
    pub call: Call,
}

/// Whether a transaction runs a contract, which may pay in the coin of the chain without showing it to this interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Nothing,
    /// It takes no coin along, but the contract may have some.
    WithoutValue,
    WithValue,
}

impl Call {
    /// Whether a payment in this asset may be hidden in it.
    #[must_use]
    pub const fn may_hide(self, is_coin: bool) -> bool {
        match self {
            Self::Nothing => false,
            Self::WithoutValue => is_coin,
            Self::WithValue => true,
        }
    }
}

/// When a payment arrived that is seen first now. The clock of its block, which the miner sets, counts only after an outage of the
/// observer, and then not before the last look.
#[must_use]
pub fn arrived_at(fate: &Fate, now: OffsetDateTime, observed_at: Option<OffsetDateTime>) -> OffsetDateTime {
    let is_observed = observed_at.is_some_and(|at| now - at <= OUTAGE);
    match fate.block() {
        Some(block) if !is_observed => observed_at.map_or(block.at, |at| block.at.max(at)).min(now),
        _ => now,
    }
}

/// The number of confirmations that make a payment final; on Bitcoin it depends on the value. On chains that report
/// finality themselves, this is only an estimate for display.
#[must_use]
pub fn depth(format: Format, value: Option<Cents>) -> i32 {
    match (format, value.map(Cents::get)) {
        (Format::Bitcoin, Some(..100_000)) => 2,
        (Format::Bitcoin, Some(..1_000_000)) => 3,
        (Format::Bitcoin, _) => 6,
        (Format::Tron, _) => 20,
        (Format::Evm | Format::Other, _) => 64,
    }
}

/// The confirmations of a block at a height.
#[must_use]
pub fn confirmations(tip: i64, height: i64) -> i32 {
    i32::try_from(tip - height + 1).unwrap_or(i32::MAX).max(0)
}

/// What a fate comes to.
#[must_use]
pub fn state(fate: &Fate, tip: &Tip, depth: i32) -> State {
    match fate {
        Fate::Waiting => State::Seen,
        Fate::Failed(_) => State::Failed,
        Fate::Replaced(_) => State::Replaced,
        Fate::Gone => State::Orphaned,
        Fate::In(block) => {
            let is_final = match tip.final_height {
                Some(final_height) => block.height <= final_height,
                None => confirmations(tip.block.height, block.height) >= depth,
            };
            if is_final { State::Final } else { State::Included }
        }
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;
    use time::{Duration, OffsetDateTime};

    use super::{Block, Fate, State, Tip, arrived_at, depth, state};
    use crate::domain::network::Format;

    fn block(height: i64) -> Block {
        Block { height, hash: height.to_string(), at: OffsetDateTime::UNIX_EPOCH }
    }

    /// [D-Q4] Case 8: finality on Bitcoin depends on the value; without a rate, the largest depth applies.
    #[test]
    fn bitcoins_are_final_by_value() {
        for (cents, blocks) in [(99_999, 2), (100_000, 3), (999_999, 3), (1_000_000, 6)] {
            let depth = depth(Format::Bitcoin, Some(Cents::new(cents)));
            assert_eq!(depth, blocks, "{cents}");
            let tip = |confirmations: i32| Tip { block: block(99 + i64::from(confirmations)), final_height: None };
            assert_eq!(state(&Fate::In(block(100)), &tip(blocks - 1), depth), State::Included);
            assert_eq!(state(&Fate::In(block(100)), &tip(blocks), depth), State::Final);
        }
        assert_eq!(depth(Format::Bitcoin, None), 6);
    }

    /// [D-Q4] Cases 13 and 16: a payment is final when the chain reports it, at any depth.
    #[test]
    fn other_chains_say_what_is_final() {
        let tip = Tip { block: block(1_000), final_height: Some(100) };
        assert_eq!(state(&Fate::In(block(100)), &tip, 64), State::Final);
        assert_eq!(state(&Fate::In(block(101)), &tip, 64), State::Included);
    }

    /// [D-N3] The miner's clock dates no payment that the observer saw arrive. After an outage it does, but not to a moment
    /// at which the observer had looked without seeing it, and not to the future.
    #[test]
    fn a_payment_arrives_when_it_is_seen() {
        let now = OffsetDateTime::UNIX_EPOCH + Duration::HOUR;
        let before = |seconds| now - Duration::seconds(seconds);
        let mined = |seconds| Fate::In(Block { at: before(seconds), ..block(100) });
        assert_eq!(arrived_at(&mined(1_800), now, Some(before(60))), now);
        assert_eq!(arrived_at(&mined(1_800), now, Some(before(2_400))), before(1_800));
        assert_eq!(arrived_at(&mined(1_800), now, Some(before(61))), before(61));
        assert_eq!(arrived_at(&mined(-1_800), now, Some(before(61))), now);
        assert_eq!(arrived_at(&mined(1_800), now, None), before(1_800));
        assert_eq!(arrived_at(&Fate::Waiting, now, None), now);
    }
}
