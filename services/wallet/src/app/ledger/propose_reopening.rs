//! Staff propose to resume withdrawals; another person confirms.

use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::app::Moment;
use crate::error::Error;
use crate::store::withdrawal_pauses;

pub const REOPEN: &str = "withdrawals.reopen";

/// The field of its change with the id of the pause.
pub const PAUSE_ID: &str = "pauseId";

#[derive(Debug, Clone)]
pub struct ProposeReopening {
    pub call: StaffCall,
}

/// Opens a proposal. The ledger is checked when it is confirmed.
///
/// # Errors
/// `WithdrawalsNotStopped` if there is nothing to reopen.
pub async fn propose_reopening(db: &Db, command: &ProposeReopening) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeReopening) -> Result<Proposal, Error> {
    let pause = withdrawal_pauses::in_force(conn).await?.ok_or(Error::WithdrawalsNotStopped)?;
    let change = json!({ "withdrawals": "open", PAUSE_ID: pause.id });
    let before = json!({ "withdrawals": "stopped", "since": Moment(pause.stopped_at), "reason": pause.reason });
    let new = NewProposal {
        before: Some(before),
        ..NewProposal::new(&command.call.staff, &command.call.address, REOPEN, &change)
    };
    Ok(proposal::open(conn, new).await?)
}
