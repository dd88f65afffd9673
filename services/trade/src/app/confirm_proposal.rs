//! Puts a proposal into effect: a second manager confirms it.

use chassis::audit::{self, Act};
use chassis::caller::Staff;
use chassis::clock;
use chassis::db::Db;
use chassis::proposal::{self, Decision, Proposal};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::propose_plan::{Before, CREATE, UPDATE};
use crate::app::propose_plan_value::Point;
use crate::domain::plan::Terms;
use crate::domain::value::Draft;
use crate::error::Error;
use crate::events::published;
use crate::store::{plan_values, plans};

/// The confirmed proposal.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal), `Stale`, `ValueOutOfOrder`, the database's.
pub async fn confirm_proposal(db: &Db, staff: &Staff, id: Uuid, address: &str) -> Result<Proposal, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let proposal = proposal::decide::<Error>(&mut tx, id, Decision::Confirm, staff.user_id).await?;
    let (plan_id, action) = match proposal.kind.as_str() {
        CREATE => (create(&mut tx, &proposal, now).await?, "plan.confirm"),
        UPDATE => (update(&mut tx, &proposal, now).await?, "plan.confirm"),
        _ => (publish(&mut tx, &proposal, now).await?, "plan_value.confirm"),
    };
    let confirmed = proposal::name_subject(&mut tx, id, plan_id).await?;
    published::plan_changed(&mut tx, plan_id).await?;
    let act = Act {
        staff,
        action,
        subject_id: plan_id.to_string(),
        member_id: None,
        before: confirmed.before.clone(),
        after: Some(json!({ "proposalId": id, "kind": confirmed.kind, "change": confirmed.change })),
        address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
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
    let value = draft.publish(newest.map(|value| value.at), now)?;
    plan_values::insert(conn, id, &value, proposal.id).await?;
    Ok(id)
}
