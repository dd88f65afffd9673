//! Ends a proposal without effect; its proposer may do so too.

use chassis::audit::{self, Act};
use chassis::caller::Staff;
use chassis::db::Db;
use chassis::proposal::{self, Decision, Proposal};
use serde_json::json;
use uuid::Uuid;

use crate::error::Error;

/// The rejected proposal.
///
/// # Errors
/// `Refused` (not found, decided already), the database's.
pub async fn reject_proposal(db: &Db, staff: &Staff, id: Uuid, address: &str) -> Result<Proposal, Error> {
    let mut tx = db.begin().await?;
    let proposal = proposal::decide::<Error>(&mut tx, id, Decision::Reject, staff.user_id).await?;
    let act = Act {
        staff,
        action: "plan.reject",
        subject_id: id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "kind": proposal.kind, "planId": proposal.subject_id, "change": proposal.change })),
        address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(proposal)
}
