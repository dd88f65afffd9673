//! Payments that payment-method observed on a chain, and the outputs that transactions consume.

use chassis::id::QuoteId;
use chassis::money::Units;

use crate::domain::holding::Movement;
use crate::domain::transaction::PayoutPrice;
use crate::domain::txid::Txid;

/// A payment to the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedPayment {
    /// As payment-method names it: `bitcoin`.
    pub chain: String,
    /// In lower case, without `0x`.
    pub txid: String,
    pub vout: u32,
    /// The platform's address.
    pub address: String,
    pub asset: String,
    /// In the smallest unit.
    pub units: String,
}

/// An output of a blockchain transaction that a deposit, a fee, the course or a payout consumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Unset where the outputs are not known: the whole blockchain transaction.
    pub vout: Option<u32>,
    /// The asset and what was paid in its smallest unit, as the chain shows it; unset where it is not observed.
    pub paid: Option<(String, Units)>,
}

/// An output of a payout at its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtDestination {
    pub vout: u32,
    pub units: Units,
    /// Whether it is among the payments from the platform.
    pub is_observed: bool,
}

/// How far the payment of a payout is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finality {
    /// No node shows it.
    Unobserved,
    /// Not final, or not what was fixed.
    Open,
    /// Exactly what was fixed is at the destination for good.
    Final(Output),
}

impl Finality {
    /// What the outputs at the destination of a final transaction come to: the one that is named, or the only one, has to be
    /// exactly what was fixed.
    #[must_use]
    pub fn of(at_destination: &[AtDestination], txid: &Txid, price: &PayoutPrice) -> Self {
        let is_meant = |one: &&AtDestination| txid.outputs.is_empty() || txid.outputs.contains(&one.vout);
        let meant: Vec<_> = at_destination.iter().filter(is_meant).collect();
        match meant[..] {
            [one] if one.units == price.units => {
                let paid = (price.asset.clone(), one.units);
                Self::Final(Output { vout: Some(one.vout), paid: Some(paid).filter(|_| one.is_observed) })
            }
            _ => Self::Open,
        }
    }
}

/// What other transactions account for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// Outputs that they consume, by hash and index.
    pub outputs: Vec<(String, u32)>,
    /// Quotes that are decided.
    pub quotes: Vec<QuoteId>,
}

impl From<&Movement> for ObservedPayment {
    fn from(payment: &Movement) -> Self {
        Self {
            chain: payment.chain.clone(),
            txid: payment.txid.clone(),
            vout: payment.vout,
            address: payment.address.clone(),
            asset: payment.asset.clone(),
            units: payment.units.to_string(),
        }
    }
}
