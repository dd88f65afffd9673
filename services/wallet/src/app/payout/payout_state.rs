//! A step of several use cases: checks whether the member's account permits a payout (D-R13, D-A1, D-A5).

use chassis::identity::PayoutState;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::domain::transaction::Transaction;
use crate::error::Error;

/// Since when the destination of a payout is known, as auth is asked about it: one that is not known yet becomes known after
/// every login so far (D-A5).
#[must_use]
pub fn known_since(transaction: &Transaction) -> Option<OffsetDateTime> {
    let withdrawal = transaction.as_withdrawal()?;
    Some(withdrawal.known_at.unwrap_or(datetime!(9999-12-31 0:00 UTC)))
}

/// Lets a payout pass, or says what it waits for.
///
/// # Errors
/// `MemberFrozen`, `PayoutsStopped`, `CoolingOff`.
pub fn check_payout_state(state: &PayoutState, now: OffsetDateTime) -> Result<(), Error> {
    if state.frozen {
        return Err(Error::MemberFrozen);
    }
    if state.stopped {
        return Err(Error::PayoutsStopped);
    }
    match state.not_before {
        Some(at) if at > now => Err(Error::CoolingOff(at)),
        _ => Ok(()),
    }
}
