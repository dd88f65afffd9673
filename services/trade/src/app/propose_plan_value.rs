//! Proposes a value of a plan (D-R4).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::PlanId;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;

use crate::domain::value::{Draft, to_text};
use crate::error::Error;
use crate::store::{plan_values, plans, trades};

/// A value point.
pub const VALUE: &str = "plan.value";

/// A point as stored in the proposal, for people and for its publication.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// As shown to the person who confirms it.
    pub value: String,
    /// In millionths: 1,000,000 is the value 1.
    pub value_micros: i64,
    /// Unset for the moment of confirmation.
    #[serde(with = "time::serde::rfc3339::option")]
    pub at: Option<OffsetDateTime>,
    /// Where it comes from.
    pub source: String,
    /// What the plan's members gain in total at this value, as of the proposal: for the person who confirms it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gains_cents: Option<i64>,
}

/// The open proposal, once a key.
///
/// # Errors
/// `PlanNotFound`; `ValueOutOfOrder` if a later value exists.
pub async fn propose_plan_value(
    db: &Db,
    call: &StaffCall,
    (plan_id, draft): (PlanId, &Draft),
) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, call.claim.clone(), async |conn| propose(conn, call, (plan_id, draft)).await).await
}

async fn propose(
    conn: &mut PgConnection,
    call: &StaffCall,
    (plan_id, draft): (PlanId, &Draft),
) -> Result<Proposal, Error> {
    let now = clock::now(conn).await?;
    plans::get(conn, plan_id, now).await?.ok_or(Error::PlanNotFound)?;
    let newest = plan_values::newest(conn, plan_id).await?;
    let valued = trades::newest_valued(conn, plan_id, now).await?;
    draft.clone().publish(newest.as_ref().map(|value| value.at).max(valued), now)?;
    let before = newest.map(|value| point(value.micros, Some(value.at), &value.source));
    let before = before.map(serde_json::to_value).transpose()?;
    let gains = trades::gains_at(conn, plan_id, draft.micros, now).await?;
    let change =
        serde_json::to_value(Point { gains_cents: Some(gains.get()), ..point(draft.micros, draft.at, &draft.source) })?;
    let new = NewProposal {
        subject_id: Some(plan_id.get()),
        before,
        logged: json!({ "kind": VALUE, "planId": plan_id, "change": change }),
        ..NewProposal::new(&call.staff, &call.address, VALUE, &change)
    };
    Ok(proposal::open(conn, new).await?)
}

fn point(micros: i64, at: Option<OffsetDateTime>, source: &str) -> Point {
    Point { value: to_text(micros), value_micros: micros, at, source: source.to_owned(), gains_cents: None }
}
