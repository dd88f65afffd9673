//! Staff propose to resume withdrawals; another person confirms.

use chassis::audit::{self, Act};
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{Answer, Claim, Work};
use chassis::identity::Staff;
use chassis::proposal::{self, Proposal};
use serde_json::json;

use crate::app::Moment;
use crate::error::Error;
use crate::store::withdrawal_stops;

pub const REOPEN: &str = "withdrawals.reopen";

/// The field of its change that names the stop.
pub const STOP: &str = "stopId";

#[derive(Debug, Clone)]
pub struct ProposeReopening {
    /// A treasurer or admin.
    pub staff: Staff,
    pub client_address: String,
    pub claim: Option<Claim>,
}

/// Opens a proposal. The books are looked at when it is confirmed.
///
/// # Errors
/// `WithdrawalsNotStopped` if there is nothing to reopen.
pub async fn propose_reopening(db: &Db, command: &ProposeReopening) -> Result<Answer<Proposal>, Error> {
    let mut work = Work::begin::<Error>(db, command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = propose(&mut work, command).await;
    work.settle(result).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeReopening) -> Result<Proposal, Error> {
    let stop = withdrawal_stops::in_force(conn).await?.ok_or(Error::WithdrawalsNotStopped)?;
    let change = json!({ "withdrawals": "open", STOP: stop.id });
    let before = json!({ "withdrawals": "stopped", "since": Moment(stop.stopped_at), "reason": stop.reason });
    let proposal = proposal::open(conn, REOPEN, None, &change, Some(&before), command.staff.user_id).await?;
    let act = Act {
        staff: &command.staff,
        action: "withdrawals.reopen.propose",
        subject_id: proposal.id.to_string(),
        member_id: None,
        before: Some(before),
        after: Some(change),
        address: &command.client_address,
    };
    audit::append(conn, act).await?;
    Ok(proposal)
}
