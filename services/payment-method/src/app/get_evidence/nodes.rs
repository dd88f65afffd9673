//! What the nodes say about a payment now.

use crate::app::observe_chain::World;
use crate::clients::chain::Chain;
use crate::clients::lookups::{Asker, Lookups};
use crate::domain::evidence::Search;
use crate::domain::payment::{self, Fate, Found, Observation, Way};
use crate::domain::quote::Asset;
use crate::store::chain_payments::Payment;

/// The nodes, for what is asked about one deposit or payout.
pub(super) struct Nodes<'a> {
    pub(super) chains: &'a [Chain],
    pub(super) chain: &'a Chain,
    pub(super) world: &'a World,
    pub(super) asset: &'a Asset,
    pub(super) lookups: &'a Lookups,
    pub(super) asker: Asker,
}

impl Nodes<'_> {
    /// Explains why a hash was not observed: looks it up on this chain's node, then on the others.
    pub(super) async fn elsewhere(&self, txid: &str) -> Search {
        if txid.is_empty() {
            return Search::NoHash;
        }
        if !payment::is_hash(txid) {
            return Search::NoSuch;
        }
        match self.lookups.transaction(self.chain, txid, self.world.search(), self.asker).await {
            Err(error) => Search::Unknown(error.as_str().to_owned()),
            Ok(Some(found)) => self.unobserved(&found),
            Ok(None) => {
                for other in self.chains.iter().filter(|other| other.name() != self.chain.name()) {
                    let nothing =
                        payment::Search { watched: &[], derived: &[], held: &[], contracts: &[], coin: false };
                    if let Ok(Some(_)) = self.lookups.transaction(other, txid, nothing, self.asker).await {
                        return Search::Elsewhere(other.name());
                    }
                }
                Search::NoSuch
            }
        }
    }

    /// Why a transaction that the node knows is not among the payments.
    fn unobserved(&self, found: &Found) -> Search {
        match found.fate {
            Fate::Failed(_) => Search::Reverted,
            // It pays us, or may, and will be seen with the next look.
            Fate::Waiting => Search::Unknown("the transaction is in no block yet".to_owned()),
            _ if found.payments.iter().any(|one| one.key.way == Way::In) => {
                Search::Unknown("the payment was seen just now".to_owned())
            }
            _ if found.call.may_hide(self.asset.contract.is_empty()) => Search::Hidden,
            _ => Search::Foreign { worthless: found.worthless },
        }
    }

    /// Whether the node shows what was stored: a decision does not rest on rows alone.
    pub(super) async fn confirm(&self, payments: &[Payment]) -> Search {
        for one in payments.iter().filter(|one| one.state.is_alive()) {
            let asked = self.lookups.transaction(self.chain, &one.key.txid, self.world.search(), self.asker).await;
            let found = match asked {
                Err(error) => return Search::Unknown(error.as_str().to_owned()),
                Ok(None) => return Search::Unconfirmed,
                Ok(Some(found)) => found,
            };
            let is_same = |other: &Observation| {
                (&other.key, &other.address, other.units) == (&one.key, &one.address, one.units)
                    && (one.block.is_none() || other.fate.block() == one.block.as_ref())
            };
            match found.fate {
                _ if found.payments.iter().any(is_same) => {}
                // Its block was replaced since the last look.
                Fate::Waiting if one.block.is_some() => {
                    return Search::Unknown("the block of the payment is gone".to_owned());
                }
                _ => return Search::Unconfirmed,
            }
        }
        Search::Found
    }
}
