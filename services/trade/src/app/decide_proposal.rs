//! A second manager confirms a proposal, or a manager rejects it, which its proposer may also do.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{PlanId, ProposalId};
use chassis::idempotency::Answer;
use chassis::proposal::{self, Apply, DecideProposal, Decision, Proposal};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::propose_plan::{Before, CREATE, UPDATE};
use crate::app::propose_plan_value::{Point, VALUE};
use crate::clients::Wallet;
use crate::domain::plan::{Plan, Terms};
use crate::domain::value::Draft;
use crate::error::Error;
use crate::events::published;
use crate::store::{open_trades, plan_values, plans, trades};

/// How often a value is published that trades overtake: the next transaction is newer than they are.
const TRIES: u32 = 5;

/// The decided proposal. A higher value is published only while cash and assets of the plan cover its open trades at it.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal, `NOT_BACKED`), `Stale`, `ValueOutOfOrder`; Unavailable if wallet does not
/// answer, or if trades were opened at
/// the same moment each time.
pub async fn decide_proposal(db: &Db, wallet: &Wallet, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    if command.decision == Decision::Confirm {
        check_backing(db, wallet, command.id).await?;
    }
    let mut tries = 1;
    loop {
        let decided = proposal::decide_and_apply(db, command, &Proposals).await;
        if tries == TRIES || !matches!(decided, Err(Error::ValueOvertaken)) {
            return decided;
        }
        tries += 1;
    }
}

/// What falls or stays is published no matter what stands behind the plan: members have to know it.
async fn check_backing(db: &Db, wallet: &Wallet, proposal_id: ProposalId) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let open = proposal::find(&mut conn, proposal_id).await?.filter(|one| one.kind == VALUE && one.status == "open");
    drop(conn);
    match open {
        Some(proposal) => check_value(db, wallet, &proposal).await,
        None => Ok(()),
    }
}

/// What the confirmation of an open proposal would be refused with now. Reads alone.
///
/// # Errors
/// `Stale`, `ValueOutOfOrder`, `NOT_BACKED`; Unavailable if wallet does not answer.
pub async fn check_proposal(db: &Db, wallet: &Wallet, proposal: &Proposal) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    match (proposal.kind.as_str(), proposal.subject_id) {
        (UPDATE, Some(id)) => {
            let plan = plans::get(&mut conn, id.into(), now).await?.ok_or(Error::PlanNotFound)?;
            check_seen(&plan, proposal)
        }
        (VALUE, Some(id)) => {
            let newest = plan_values::newest(&mut conn, id.into()).await?;
            let valued = trades::newest_valued(&mut conn, id.into(), now).await?;
            let point: Point = serde_json::from_value(proposal.change.clone())?;
            // One without a moment is for the moment of its confirmation.
            if point.at.is_some() {
                let draft = Draft { micros: point.value_micros, at: point.at, source: point.source };
                draft.publish(newest.map(|value| value.at).max(valued), now)?;
            }
            drop(conn);
            check_value(db, wallet, proposal).await
        }
        _ => Ok(()),
    }
}

/// Cash and assets of the plan cover its open trades at the new value, if it is higher.
async fn check_value(db: &Db, wallet: &Wallet, proposal: &Proposal) -> Result<(), Error> {
    let Some(plan_id) = proposal.subject_id else { return Ok(()) };
    let mut conn = db.conn().await?;
    let point: Point = serde_json::from_value(proposal.change.clone())?;
    let newest = plan_values::newest(&mut conn, plan_id.into()).await?;
    if newest.is_none_or(|newest| point.value_micros <= newest.micros) {
        return Ok(());
    }
    let at = point.at.unwrap_or(clock::now(&mut conn).await?);
    let (cost, value) = open_trades::at_value(&mut conn, plan_id.into(), point.value_micros, at).await?;
    drop(conn);
    Ok(wallet.check_backing(plan_id.into(), cost, value).await?)
}

struct Proposals;

impl Apply for Proposals {
    type Error = Error;

    async fn apply(&self, conn: &mut PgConnection, decided: Proposal) -> Result<Proposal, Error> {
        let now = clock::now(conn).await?;
        let plan_id = match decided.kind.as_str() {
            CREATE => create(conn, &decided, now).await?,
            UPDATE => update(conn, &decided, now).await?,
            _ => publish(conn, &decided, now).await?,
        };
        published::plan_changed(conn, plan_id).await?;
        Ok(proposal::name_subject(conn, decided.id, plan_id.get()).await?)
    }
}

async fn create(conn: &mut PgConnection, proposal: &Proposal, now: OffsetDateTime) -> Result<PlanId, Error> {
    let terms: Terms = serde_json::from_value(proposal.change.clone())?;
    let id = Uuid::now_v7().into();
    plans::insert(conn, id, &terms, now).await?;
    Ok(id)
}

/// Other terms replace those that the confirmer has seen; open trades keep the ones they were opened with.
async fn update(conn: &mut PgConnection, proposal: &Proposal, now: OffsetDateTime) -> Result<PlanId, Error> {
    let terms: Terms = serde_json::from_value(proposal.change.clone())?;
    let id = proposal.subject_id.ok_or(Error::PlanNotFound)?;
    let plan = plans::lock(conn, id.into(), now).await?.ok_or(Error::PlanNotFound)?;
    check_seen(&plan, proposal)?;
    plans::change(conn, id.into(), &terms).await?;
    Ok(id.into())
}

/// The plan is as the proposer and the person who confirms have seen it.
fn check_seen(plan: &Plan, proposal: &Proposal) -> Result<(), Error> {
    let before: Before = serde_json::from_value(proposal.before.clone().unwrap_or_default())?;
    if plan.version == before.version { Ok(()) } else { Err(Error::Stale) }
}

async fn publish(conn: &mut PgConnection, proposal: &Proposal, now: OffsetDateTime) -> Result<PlanId, Error> {
    let point: Point = serde_json::from_value(proposal.change.clone())?;
    let id = proposal.subject_id.ok_or(Error::PlanNotFound)?;
    plans::lock(conn, id.into(), now).await?.ok_or(Error::PlanNotFound)?;
    let newest = plan_values::newest(conn, id.into()).await?;
    let draft = Draft { micros: point.value_micros, at: point.at, source: point.source };
    let valued = trades::newest_valued(conn, id.into(), now).await?;
    // For the moment of confirmation: what is newer was committed while this transaction waited for the plan.
    if draft.at.is_none() && valued.is_some_and(|valued| valued >= now) {
        return Err(Error::ValueOvertaken);
    }
    let value = draft.publish(newest.map(|value| value.at).max(valued), now)?;
    plan_values::insert(conn, id.into(), &value, proposal.id).await?;
    Ok(id.into())
}
