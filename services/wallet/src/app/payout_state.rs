//! A step of several use cases: whether the member's account lets a payout go on (D-R13, D-A1, D-A5).

use chassis::identity::PayoutState;
use time::OffsetDateTime;

use crate::error::Error;

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
