//! Payments that payment-method observed on a chain, and the outputs that transactions consume.

use chassis::money::Units;
use uuid::Uuid;

use crate::domain::holding::Undone;

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

/// What other transactions account for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// Outputs that they consume, by hash and index.
    pub outputs: Vec<(String, u32)>,
    /// Quotes that are decided.
    pub quotes: Vec<Uuid>,
}

impl From<&Undone> for ObservedPayment {
    fn from(one: &Undone) -> Self {
        let payment = &one.payment;
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
