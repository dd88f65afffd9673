//! The chains on which payments are observed, each through one node or several.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::Mutex;

use super::bitcoin_core::BitcoinCore;
use super::evm_rpc::{EvmRpc, Kind};
use super::rpc::ChainError;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Derived, Found, Observation, Search, Tip};

/// A node of one chain.
#[derive(Debug, Clone)]
pub enum Node {
    Bitcoin(Box<BitcoinCore>),
    Evm(EvmRpc),
}

/// A chain with its nodes: one is asked as long as it answers, and then the next. What is final is what most of them call so.
#[derive(Debug, Clone)]
pub struct Chain {
    first: Node,
    others: Arc<[Node]>,
    /// The node that answered last.
    preferred: Arc<AtomicUsize>,
    /// The addresses of members that were read from the database.
    derived: Arc<Mutex<Derived>>,
    interval: Duration,
}

impl Chain {
    /// A chain with these nodes, all of the same chain.
    #[must_use]
    pub fn new(first: Node, others: Vec<Node>) -> Self {
        let interval = first.interval();
        Self { first, others: others.into(), preferred: Arc::default(), derived: Arc::default(), interval }
    }

    /// The same chain, looked at so often.
    #[must_use]
    pub const fn every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// As `chassis::network` names it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match &self.first {
            Node::Bitcoin(_) => "bitcoin",
            Node::Evm(evm) => evm.name(),
        }
    }

    #[must_use]
    pub const fn format(&self) -> Format {
        match &self.first {
            Node::Bitcoin(_) => Format::Bitcoin,
            Node::Evm(evm) => evm.format(),
        }
    }

    /// The own addresses of members that are known by now.
    #[must_use]
    pub fn derived(&self) -> &Mutex<Derived> {
        &self.derived
    }

    /// How often it is looked at.
    #[must_use]
    pub const fn interval(&self) -> Duration {
        self.interval
    }

    /// The nodes by their numbers: the one that answered last first, and those that are to be left alone last.
    #[must_use]
    pub fn nodes(&self) -> Vec<(usize, &Node)> {
        let all: Vec<_> = std::iter::once(&self.first).chain(self.others.iter()).enumerate().collect();
        let preferred = self.preferred.load(Ordering::Relaxed) % all.len();
        let (before, after) = all.split_at(preferred);
        let mut nodes = [after, before].concat();
        nodes.sort_by_key(|(_, node)| node.is_paused());
        nodes
    }

    /// Asks this node first from now on.
    pub fn prefer(&self, number: usize) {
        self.preferred.store(number, Ordering::Relaxed);
    }

    /// Its Bitcoin nodes, the one that answered last first.
    pub fn bitcoin(&self) -> impl Iterator<Item = &BitcoinCore> {
        self.nodes().into_iter().filter_map(|(_, node)| match node {
            Node::Bitcoin(node) => Some(&**node),
            Node::Evm(_) => None,
        })
    }

    /// How many nodes have to agree that a payment is final: most of them.
    #[must_use]
    pub fn quorum(&self) -> usize {
        self.others.len().div_ceil(2) + 1
    }

    /// A transaction; `None` if a node says that there is none.
    ///
    /// # Errors
    /// When no node can be used. This never means that the transaction does not exist.
    pub async fn transaction(&self, txid: &str, search: Search<'_>) -> Result<Option<Found>, ChainError> {
        let mut failure = None;
        for (_, node) in self.nodes() {
            match node.transaction(txid, search).await {
                Ok(found) => return Ok(found),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or(ChainError::Late))
    }

    /// A transaction with what it pays to addresses that the node need not watch; `None` if a node says that there is none.
    ///
    /// # Errors
    /// When no node can be used. This never means that the transaction does not exist.
    pub async fn payout(&self, txid: &str, to: Search<'_>) -> Result<Option<Found>, ChainError> {
        let mut failure = None;
        for (_, node) in self.nodes() {
            match node.payout(txid, to).await {
                Ok(found) => return Ok(found),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or(ChainError::Late))
    }
}

impl Node {
    /// Seldom enough for the quota of a provider, often enough for somebody who waits.
    const fn interval(&self) -> Duration {
        Duration::from_secs(match self {
            Self::Bitcoin(_) => 5,
            Self::Evm(evm) => match evm.kind() {
                Kind::Ethereum => 12,
                Kind::Tron => 7,
            },
        })
    }

    fn is_paused(&self) -> bool {
        match self {
            Self::Bitcoin(node) => node.is_paused(),
            Self::Evm(node) => node.is_paused(),
        }
    }

    /// The newest block; an error if the node is on another chain or stale.
    ///
    /// # Errors
    /// Why nothing is known.
    pub async fn tip(&self, now: OffsetDateTime) -> Result<Tip, ChainError> {
        match self {
            Self::Bitcoin(node) => node.tip(now).await,
            Self::Evm(node) => node.tip(now).await,
        }
    }

    /// The same tip, with what is final now. It may have been asked for a while ago.
    ///
    /// # Errors
    /// Why nothing is known.
    pub async fn finality(&self, tip: Tip) -> Result<Tip, ChainError> {
        match self {
            Self::Bitcoin(_) => Ok(tip),
            Self::Evm(node) => node.finality(tip).await,
        }
    }

    /// The payments in blocks above a height, and on Bitcoin also those in the mempool.
    ///
    /// # Errors
    /// Why nothing is known.
    pub async fn payments_above(
        &self,
        height: i64,
        tip: &Tip,
        search: Search<'_>,
    ) -> Result<Vec<Observation>, ChainError> {
        match self {
            Self::Bitcoin(node) => node.payments_above(height, tip, search).await,
            Self::Evm(node) => node.payments_above(height, tip, search).await,
        }
    }

    /// Has the node read its blocks again from a height, where it remembers what it has read.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn rescan(&self, height: i64, search: Search<'_>) -> Result<(), ChainError> {
        match self {
            Self::Bitcoin(node) => node.rescan(height, search).await,
            Self::Evm(_) => Ok(()),
        }
    }

    /// A transaction; `None` if the node says that there is none.
    ///
    /// # Errors
    /// When the node cannot be used. This never means that the transaction does not exist.
    pub async fn transaction(&self, txid: &str, search: Search<'_>) -> Result<Option<Found>, ChainError> {
        match self {
            Self::Bitcoin(node) => node.transaction(txid, search).await,
            Self::Evm(node) => node.transaction(txid, search).await,
        }
    }

    /// A transaction with what it pays to addresses that are not watched; `None` if the node says that there is none.
    ///
    /// # Errors
    /// When the node cannot be used. This never means that the transaction does not exist.
    pub async fn payout(&self, txid: &str, to: Search<'_>) -> Result<Option<Found>, ChainError> {
        match self {
            Self::Bitcoin(node) => node.foreign(txid, to).await,
            Self::Evm(node) => node.transaction(txid, to).await,
        }
    }

    /// The balances of the addresses in each token and, if it is searched for, in the coin of the chain.
    ///
    /// # Errors
    /// Why nothing is known.
    pub async fn balances(&self, search: Search<'_>) -> Result<Vec<Balance>, ChainError> {
        match self {
            Self::Bitcoin(node) => node.balances(search).await,
            Self::Evm(node) => node.balances(search).await,
        }
    }
}

impl From<BitcoinCore> for Chain {
    fn from(node: BitcoinCore) -> Self {
        Self::new(Node::Bitcoin(Box::new(node)), Vec::new())
    }
}

impl From<EvmRpc> for Chain {
    fn from(node: EvmRpc) -> Self {
        Self::new(Node::Evm(node), Vec::new())
    }
}
