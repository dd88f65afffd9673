//! What became of a payout that was sent, as two people found out.

use chassis::id::TransactionId;
use serde::{Deserialize, Serialize};

use crate::domain::txid::Txid;

/// The kind of the proposal.
pub const PAYOUT_CORRECTION: &str = "payout_correction";

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was paid with another blockchain transaction.
    OtherTransaction,
    /// Nothing was sent, or it never arrives: it can be paid again.
    NotSent,
    /// It arrived otherwise than it was fixed, and is paid as it is.
    Arrived,
}

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutCorrection {
    pub transaction_id: TransactionId,
    /// Its reference, for people.
    pub reference: String,
    /// As the proposer saw it.
    pub revision: i32,
    pub outcome: Outcome,
    /// Of the other transaction, else the one that it keeps; unset for what was not sent.
    pub txid: Option<String>,
    /// The comparable form of `txid`.
    pub txid_key: Option<String>,
    pub vout: Option<u32>,
    pub note: String,
}

impl PayoutCorrection {
    /// The transaction that it is paid with.
    #[must_use]
    pub fn txid(&self) -> Option<Txid> {
        let (text, key) = self.txid.clone().zip(self.txid_key.clone())?;
        Some(Txid { text, key, outputs: self.vout.into_iter().collect() })
    }
}
