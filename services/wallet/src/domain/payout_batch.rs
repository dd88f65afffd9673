//! Several leased payouts of one asset that are paid together (D-N5).

use chassis::error::Refusal;
use chassis::id::StaffId;

use crate::domain::transaction::{PayoutPrice, Transaction};
use crate::error::Error;

/// What a batch pays. It is kept nowhere: it is what one treasurer has leased, and then what one transaction paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutBatch {
    pub network: String,
    /// Addresses, and how much of what.
    pub payouts: Vec<(String, PayoutPrice)>,
}

impl PayoutBatch {
    /// The batch of these withdrawals, each leased by this treasurer or sent already.
    ///
    /// # Errors
    /// `PayoutNotStarted` for one that is neither, Invalid for other networks and assets than those of the first, for
    /// one without a price or with a memo; `NotFound` if one is not a withdrawal, `DestinationMissing`.
    pub fn of(all: &[Transaction], by: StaffId) -> Result<Self, Error> {
        let mut batch = Self { network: String::new(), payouts: Vec::new() };
        for one in all {
            let withdrawal = one.as_withdrawal().ok_or(Error::NotFound)?;
            let is_leased = withdrawal.paying.is_some_and(|lease| lease.by == by);
            if !is_leased && withdrawal.sent.is_none() {
                return Err(Error::PayoutNotStarted(one.reference()));
            }
            let destination = withdrawal.destination.as_ref().ok_or(Error::DestinationMissing)?;
            let reference = one.reference();
            let price = withdrawal.price.clone();
            let price = price.ok_or_else(|| wrong(format!("{reference} has no amount in an asset.")))?;
            if !destination.memo.is_empty() {
                return Err(wrong(format!("{reference} needs a memo. Pay it by itself.")));
            }
            let first = batch.payouts.first().map_or(&price, |(_, first)| first);
            let is_same = (&first.asset, &first.contract) == (&price.asset, &price.contract);
            if batch.payouts.is_empty() {
                batch.network.clone_from(&withdrawal.method.network);
            } else if !is_same || batch.network != withdrawal.method.network {
                return Err(wrong(format!("{reference} is paid in another asset or on another network.")));
            }
            batch.payouts.push((destination.address.clone(), price));
        }
        Ok(batch)
    }
}

fn wrong(sentence: String) -> Error {
    Refusal::field("payouts", sentence).into()
}
