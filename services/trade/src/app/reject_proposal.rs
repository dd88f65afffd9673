//! Ends a proposal without effect; its proposer may do so too.

use chassis::audit::{self, Act};
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{Answer, Work};
use chassis::proposal::{self, DecideProposal, Proposal};
use serde_json::json;

use crate::error::Error;

/// The rejected proposal.
///
/// # Errors
/// `Refused` (not found, decided already), the database's.
pub async fn reject_proposal(db: &Db, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    let mut work = Work::begin::<Error>(db, command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = reject(&mut work, command).await;
    work.settle(result).await
}

async fn reject(conn: &mut PgConnection, command: &DecideProposal) -> Result<Proposal, Error> {
    let staff = &command.staff;
    let proposal = proposal::decide::<Error>(conn, command.id, command.decision, staff.user_id).await?;
    let act = Act {
        staff,
        action: "plan.reject",
        subject_id: command.id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "kind": proposal.kind, "planId": proposal.subject_id, "change": proposal.change })),
        address: &command.client_address,
    };
    audit::append(conn, act).await?;
    Ok(proposal)
}
