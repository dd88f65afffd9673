//! The chains on which payments are observed, each through a node.

use time::OffsetDateTime;

use super::bitcoin_core::BitcoinCore;
use super::evm_rpc::EvmRpc;
use super::rpc::ChainError;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Found, Observation, Search, Tip};

/// A node of one chain.
#[derive(Debug, Clone)]
pub enum Chain {
    Bitcoin(BitcoinCore),
    Evm(EvmRpc),
}

impl Chain {
    /// As `domain/network.rs` names it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bitcoin(_) => "bitcoin",
            Self::Evm(evm) => evm.name(),
        }
    }

    #[must_use]
    pub const fn format(&self) -> Format {
        match self {
            Self::Bitcoin(_) => Format::Bitcoin,
            Self::Evm(evm) => evm.format(),
        }
    }

    /// The newest block; an error if the node is on another chain or stale.
    ///
    /// # Errors
    /// Why nothing can be told.
    pub async fn tip(&self, now: OffsetDateTime) -> Result<Tip, ChainError> {
        match self {
            Self::Bitcoin(node) => node.tip(now).await,
            Self::Evm(node) => node.tip(now).await,
        }
    }

    /// The payments in blocks above a height, and on Bitcoin also those in the mempool.
    ///
    /// # Errors
    /// Why nothing can be told.
    pub async fn payments_above(
        &self,
        height: i64,
        tip: &Tip,
        search: Search<'_>,
    ) -> Result<Vec<Observation>, ChainError> {
        match self {
            Self::Bitcoin(node) => node.payments_above(height, search).await,
            Self::Evm(node) => node.payments_above(height, tip, search).await,
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

    /// The balances of the addresses in each token and, if it is searched for, in the coin of the chain.
    ///
    /// # Errors
    /// Why nothing can be told.
    pub async fn balances(&self, search: Search<'_>) -> Result<Vec<Balance>, ChainError> {
        match self {
            Self::Bitcoin(node) => node.balances(search).await,
            Self::Evm(node) => node.balances(search).await,
        }
    }
}
