//! Proposes a new plan, or new terms for one.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::PlanId;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::plan::Terms;
use crate::error::Error;
use crate::store::plans;

pub const CREATE: &str = "plan.create";
pub const UPDATE: &str = "plan.update";

/// What other terms replace, as stored in the proposal.
#[derive(Debug, Serialize, Deserialize)]
pub struct Before {
    pub version: i32,
    #[serde(flatten)]
    pub terms: Terms,
}

#[derive(Debug, Clone)]
pub struct Draft {
    /// Unset for a new plan.
    pub plan_id: Option<PlanId>,
    pub terms: Terms,
}

/// The open proposal, once a key.
///
/// # Errors
/// `PlanNotFound` if no plan has this id.
pub async fn propose_plan(db: &Db, call: &StaffCall, draft: &Draft) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| propose(conn, call, draft).await).await
}

async fn propose(conn: &mut PgConnection, call: &StaffCall, draft: &Draft) -> Result<Proposal, Error> {
    let now = clock::now(conn).await?;
    let (kind, before) = match draft.plan_id {
        None => (CREATE, None),
        Some(id) => {
            let plan = plans::get(conn, id, now).await?.ok_or(Error::PlanNotFound)?;
            let before = Before { version: plan.version, terms: plan.terms };
            (UPDATE, Some(serde_json::to_value(before)?))
        }
    };
    let change = serde_json::to_value(&draft.terms)?;
    let new = NewProposal {
        subject_id: draft.plan_id.map(Into::into),
        before,
        logged: json!({ "kind": kind, "planId": draft.plan_id, "change": change }),
        ..NewProposal::new(&call.staff, &call.address, kind, &change)
    };
    Ok(proposal::open(conn, new).await?)
}
