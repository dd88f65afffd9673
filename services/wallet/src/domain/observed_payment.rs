//! Payments to the platform that payment-method observed on a chain.

/// A payment to the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedPayment {
    /// In lower case, without `0x`.
    pub txid: String,
    pub vout: u32,
    /// The platform's address.
    pub address: String,
    pub asset: String,
    /// In the smallest unit.
    pub units: String,
}
