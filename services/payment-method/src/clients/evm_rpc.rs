//! The JSON-RPC of Ethereum, which Tron nodes offer too.

mod answers;

mod memory;

mod payments;

mod transaction;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chassis::money::Units;
use futures::{StreamExt, TryStreamExt};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use self::answers::{Header, number, units};
use self::memory::Memory;
use super::rpc::{ChainError, Endpoint, Rpc};
use crate::domain::address;
use crate::domain::network::Format;
use crate::domain::payment::{Balance, Search, Tip, Watched};

/// Calls at once.
const PARALLEL: usize = 8;
/// For how long a node is taken to be on the chain that it was seen on.
const VERIFIED: Duration = Duration::HOUR;
/// How often it is asked what is final, while nothing waits for it.
const FINALITY: Duration = Duration::seconds(30);

/// A node of one EVM chain.
#[derive(Debug, Clone)]
pub struct EvmRpc {
    rpc: Rpc,
    kind: Kind,
    memory: Arc<Mutex<Memory>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ethereum,
    Tron,
}

impl Kind {
    /// As `chassis::network` names the chain.
    const fn name(self) -> &'static str {
        match self {
            Self::Ethereum => "ethereum",
            Self::Tron => "tron",
        }
    }
}

impl EvmRpc {
    /// The node at this address.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(kind: Kind, endpoint: Endpoint) -> anyhow::Result<Self> {
        Ok(Self { rpc: Rpc::new(kind.name(), endpoint)?, kind, memory: Arc::default() })
    }

    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn is_paused(&self) -> bool {
        self.rpc.is_paused()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    #[must_use]
    pub const fn format(&self) -> Format {
        match self.kind {
            Kind::Ethereum => Format::Evm,
            Kind::Tron => Format::Tron,
        }
    }

    const fn chain_id(&self) -> i64 {
        match self.kind {
            Kind::Ethereum => 1,
            Kind::Tron => 0x2b66_53dc,
        }
    }

    /// The depth at which a block is final if the node does not report finality: two epochs of Ethereum; a round of Tron's block
    /// producers takes 19 blocks.
    const fn depth(&self) -> i64 {
        match self.kind {
            Kind::Ethereum => 64,
            Kind::Tron => 20,
        }
    }

    /// How old the newest block may be.
    const fn fresh(&self) -> Duration {
        match self.kind {
            Kind::Ethereum => Duration::minutes(2),
            Kind::Tron => Duration::minutes(1),
        }
    }

    pub(super) async fn tip(&self, now: OffsetDateTime) -> Result<Tip, ChainError> {
        if self.memory().verified_at.is_none_or(|at| now - at > VERIFIED) {
            let id: String = self.rpc.call("eth_chainId", json!([])).await?;
            if number(&id)? != self.chain_id() {
                return Err(ChainError::WrongChain);
            }
            self.memory().verified_at = Some(now);
        }
        let block = self.block("latest").await?.ok_or(ChainError::Stale)?.block()?;
        if now - block.at > self.fresh() {
            return Err(ChainError::Stale);
        }
        let known = self.memory().finality.filter(|(_, at)| now - *at <= FINALITY);
        match known {
            Some((final_height, _)) => Ok(Tip { final_height: Some(final_height.min(block.height)), block }),
            None => {
                let tip = self.finality(Tip { block, final_height: None }).await?;
                self.memory().finality = tip.final_height.map(|height| (height, now));
                Ok(tip)
            }
        }
    }

    /// What is final now. Not every node of Tron knows the word, and the oldest of Ethereum do not either.
    pub(super) async fn finality(&self, tip: Tip) -> Result<Tip, ChainError> {
        let told = match self.block("finalized").await {
            Ok(found) => found.map(|header| header.block()).transpose()?.map(|final_one| final_one.height),
            Err(error) if error.is_refusal() => None,
            Err(error) => return Err(error),
        };
        let final_height = told.unwrap_or(tip.block.height - self.depth()).min(tip.block.height);
        Ok(Tip { final_height: Some(final_height), ..tip })
    }

    async fn block(&self, which: &str) -> Result<Option<Header>, ChainError> {
        self.rpc.call("eth_getBlockByNumber", json!([which, false])).await
    }

    pub(super) async fn balances(&self, search: Search<'_>) -> Result<Vec<Balance>, ChainError> {
        let coin = search.coin.then(String::new);
        let assets: Vec<_> = search.contracts.iter().cloned().chain(coin).collect();
        let wanted: Vec<_> = search
            .watched
            .iter()
            .chain(search.held)
            .flat_map(|one| assets.iter().map(|contract| (one.clone(), contract.clone())))
            .collect();
        let balances = futures::stream::iter(wanted)
            .map(|(one, contract)| async move {
                let units = self.balance(&one, &contract).await?;
                Ok(Balance { contract, address: one.address, units })
            })
            .buffered(PARALLEL);
        balances.try_collect().await
    }

    async fn balance(&self, address: &Watched, contract: &str) -> Result<Units, ChainError> {
        let account = format!("0x{}", address.script);
        let balance: String = match self.bytes(contract) {
            None if contract.is_empty() => self.rpc.call("eth_getBalance", json!([account, "latest"])).await?,
            None => return Err(ChainError::Contradiction("the contract of a token is no address")),
            Some(to) => {
                let data = format!("0x70a08231{:0>64}", address.script);
                self.rpc.call("eth_call", json!([{ "to": to, "data": data }, "latest"])).await?
            }
        };
        // A contract that does not exist answers with nothing.
        let balance = if balance == "0x" { "0x0" } else { &balance };
        units(balance)?.ok_or_else(|| ChainError::Unreadable("a balance is too large".to_owned()))
    }

    /// A contract as its 20 bytes.
    fn bytes(&self, contract: &str) -> Option<String> {
        address::script(self.format(), contract).map(|digits| format!("0x{digits}"))
    }
}
