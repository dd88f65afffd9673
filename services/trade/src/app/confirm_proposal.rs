//! Puts a proposal into effect: a second manager confirms it.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{Answer, Work};
use chassis::proposal::{self, DecideProposal, Proposal};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::propose_plan::{Before, CREATE, UPDATE};
use crate::app::propose_plan_value::Point;
use crate::domain::plan::Terms;
use crate::domain::value::Draft;
use crate::error::Error;
use crate::events::published;
use crate::store::{plan_values, plans, trades};

/// The confirmed proposal.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal), `Stale`, `ValueOutOfOrder`, the database's.
pub async fn confirm_proposal(db: &Db, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    let mut work = Work::begin::<Error>(db, command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = confirm(&mut work, command).await;
    work.settle(result).await
}

async fn confirm(conn: &mut PgConnection, command: &DecideProposal) -> Result<Proposal, Error> {
    let (id, staff) = (command.id, &command.staff);
    let now = clock::now(conn).await?;
    let proposal = proposal::decide::<Error>(conn, id, command.decision, staff.user_id).await?;
    let (plan_id, action) = match proposal.kind.as_str() {
        CREATE => (create(conn, &proposal, now).await?, "plan.confirm"),
        UPDATE => (update(conn, &proposal, now).await?, "plan.confirm"),
        _ => (publish(conn, &proposal, now).await?, "plan_value.confirm"),
    };
    let confirmed = proposal::name_subject(conn, id, plan_id).await?;
    published::plan_changed(conn, plan_id).await?;
    let act = Act {
        staff,
        action,
        subject_id: plan_id.to_string(),
        member_id: None,
        before: confirmed.before.clone(),
        after: Some(json!({ "proposalId": id, "kind": confirmed.kind, "change": confirmed.change })),
        address: &command.client_address,
    };
    audit::append(conn, act).await?;
    Ok(confirmed)
}

async fn create(conn: &mut PgConnection, proposal: &Proposal, now: OffsetDateTime) -> Result<Uuid, Error> {
    let terms: Terms = serde_json::from_value(proposal.change.clone())?;
    let id = Uuid::now_v7();
    plans::insert(conn, id, &terms, now).await?;
    Ok(id)
}

/// Other terms replace those that whoever confirms has seen; open trades keep the ones they were opened with.
async fn update(conn: &mut PgConnection, proposal: &Proposal, now: OffsetDateTime) -> Result<Uuid, Error> {
    let before: Before = serde_json::from_value(proposal.before.clone().unwrap_or_default())?;
    let terms: Terms = serde_json::from_value(proposal.change.clone())?;
    let id = proposal.subject_id.ok_or(Error::PlanNotFound)?;
    let plan = plans::lock(conn, id, now).await?.ok_or(Error::PlanNotFound)?;
    if plan.version != before.version {
        return Err(Error::Stale);
    }
    plans::change(conn, id, &terms).await?;
    Ok(id)
}

async fn publish(conn: &mut PgConnection, proposal: &Proposal, now: OffsetDateTime) -> Result<Uuid, Error> {
    let point: Point = serde_json::from_value(proposal.change.clone())?;
    let id = proposal.subject_id.ok_or(Error::PlanNotFound)?;
    plans::lock(conn, id, now).await?.ok_or(Error::PlanNotFound)?;
    let newest = plan_values::newest(conn, id).await?;
    let draft = Draft { micros: point.value_micros, at: point.at, source: point.source };
    let valued = trades::newest_valued(conn, id, now).await?;
    let value = draft.publish(newest.map(|value| value.at).max(valued), now)?;
    plan_values::insert(conn, id, &value, proposal.id).await?;
    Ok(id)
}
