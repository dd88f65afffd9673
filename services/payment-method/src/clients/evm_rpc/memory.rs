//! What a node said, so that it is asked once.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use time::OffsetDateTime;

use crate::domain::payment::{Found, Observation, Search, Tip};

/// The newest blocks that are read again for addresses that are new: such an address may have been paid to at once.
const NEWEST: i64 = 8;

/// What a node said, so that each block and each transaction in it is read once.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// When the node was seen on the right chain.
    pub(super) verified_at: Option<OffsetDateTime>,
    /// Up to which height blocks were final, and when that was asked.
    pub(super) finality: Option<(i64, OffsetDateTime)>,
    /// How many blocks a query for logs may span: what the node accepted last.
    pub(super) range: Option<i64>,
    /// What was searched for; anything else makes the rest worthless.
    pub(super) search: u64,
    /// For how many own addresses of members, to which only some are added.
    pub(super) derived: usize,
    /// Above which height and at which newest block payments were searched for last, and what was found.
    pub(super) last: Option<(i64, String, Vec<Observation>)>,
    /// By transaction and block.
    pub(super) found: BTreeMap<(String, String), Found>,
    /// By height, each the parent of the next.
    pub(super) blocks: BTreeMap<i64, Read>,
}

/// A block that was read for the coin of the chain.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) hash: String,
    pub(super) parent: String,
    /// Those that move the coin from or to our addresses.
    pub(super) txids: Vec<String>,
}

impl Memory {
    /// What was found at this newest block already.
    pub(super) fn known(&mut self, height: i64, tip: &Tip, search: Search<'_>) -> Option<Vec<Observation>> {
        let mut hasher = DefaultHasher::new();
        (search.watched, search.contracts, search.coin).hash(&mut hasher);
        let (search, derived) = (hasher.finish(), search.derived.len());
        if self.search != search {
            (self.search, self.last) = (search, None);
            self.found.clear();
            self.blocks.clear();
        }
        if self.derived != derived {
            (self.derived, self.last) = (derived, None);
            self.blocks.split_off(&(tip.block.height - NEWEST));
        }
        let (above, newest, found) = self.last.as_ref()?;
        (*above == height && *newest == tip.block.hash).then(|| found.clone())
    }
}
