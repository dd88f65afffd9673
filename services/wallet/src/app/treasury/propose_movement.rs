//! Treasurers propose a movement of the operator's money or of a plan's cash and assets.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::id::{MemberId, PlanId, ProposalId};
use chassis::idempotency::{self, Answer};
use chassis::money::Cents;
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde_json::json;
use time::Duration;

use crate::app::required_note;
use crate::app::treasury::get_backing::backing;
use crate::domain::account::HouseAccount;
use crate::domain::treasury::{HOUSE, MovementKind, Proof, TreasuryMovement};
use crate::error::Error;
use crate::store::treasury;

#[derive(Debug, Clone)]
pub struct ProposeMovement {
    pub call: StaffCall,
    pub kind: MovementKind,
    /// The part that an asset had cost is set here.
    pub movement: TreasuryMovement,
    /// Whose payment a refund returned.
    pub member_id: Option<MemberId>,
}

/// Opens a proposal for another treasurer to confirm.
///
/// # Errors
/// Invalid for fields that the kind needs and lacks, `InsufficientBalance` if the account that pays has less.
pub async fn propose_movement(db: &Db, command: &ProposeMovement) -> Result<Answer<Proposal>, Error> {
    check_fields(command.kind, &command.movement)?;
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, command).await).await
}

fn check_fields(kind: MovementKind, movement: &TreasuryMovement) -> Result<(), Refusal> {
    let is_statement = kind.posting_kind().is_none() && movement.returned.is_none();
    let least = if is_statement { Cents::ZERO } else { Cents::new(1) };
    if !(least..=Cents::new(999_999_999_999)).contains(&movement.amount_cents) {
        return Err(Refusal::field("amount", "Please enter an amount above zero."));
    }
    if kind.is_of_plan() && movement.plan_id.is_none() {
        return Err(Refusal::field("planId", "Please choose a plan."));
    }
    if kind.has_asset() && movement.asset.is_none() {
        return Err(Refusal::field("asset", "Please enter a name of at most 100 characters."));
    }
    let revenues = [HouseAccount::CourseRevenue.into_str(), HouseAccount::FeeRevenue.into_str()];
    if kind == MovementKind::RevenueOut && !movement.source.as_deref().is_some_and(|source| revenues.contains(&source))
    {
        return Err(Refusal::field("source", "Please choose which revenue is paid out."));
    }
    match kind.proof() {
        Proof::Document if movement.document.is_none() => {
            return Err(Refusal::field("document", "Please name the document that proves it."));
        }
        Proof::PaymentOrDocument if movement.document.is_none() && movement.payment.is_none() => {
            return Err(Refusal::field("txid", "Please enter the transaction hash, or name a document."));
        }
        _ => {}
    }
    required_note(&movement.note).map(drop)
}

async fn propose(conn: &mut PgConnection, command: &ProposeMovement) -> Result<Proposal, Error> {
    let (kind, mut movement) = (command.kind, command.movement.clone());
    // A day more: what is today where staff is can be tomorrow in UTC.
    let latest = clock::now(conn).await? + Duration::DAY;
    if movement.document.as_ref().is_some_and(|document| document.at > latest) {
        return Err(Refusal::field("documentAt", "Please enter a date that is not in the future.").into());
    }
    if let Some(plan_id) = movement.plan_id
        && movement.plan_title.is_none()
    {
        let (title, _) = treasury::open_trades(conn, plan_id).await?.unzip();
        movement.plan_title = Some(title.ok_or_else(|| Refusal::field("planId", "Please choose a plan."))?);
    }
    movement.book_cents = check_funds(conn, kind, &movement, ProposalId::default()).await?;
    let before = match movement.plan_id {
        Some(plan_id) => {
            let plan = backing(conn, plan_id, ProposalId::default()).await?;
            json!({ "planCashCents": plan.cash, "planAssetsCents": plan.value_of_assets()? })
        }
        None => json!({ "capitalCents": treasury::house_balance(conn, HouseAccount::Capital).await? }),
    };
    let change = serde_json::to_value(&movement).map_err(Error::unreadable_change)?;
    let new = NewProposal {
        subject_id: Some(command.member_id.map(MemberId::get).or(movement.plan_id.map(PlanId::get)).unwrap_or(HOUSE)),
        member_id: command.member_id,
        before: Some(before),
        ..NewProposal::new(&command.call.staff, &command.call.address, kind.into_str(), &change)
    };
    Ok(proposal::open(conn, new).await?)
}

/// Whether what pays has enough, as it is now without the movement itself; the part of proceeds that the asset had cost.
///
/// # Errors
/// `InsufficientBalance`; Invalid if the plan does not own the asset; `NotBacked` if cash is returned that open trades need.
pub async fn check_funds(
    conn: &mut PgConnection,
    kind: MovementKind,
    movement: &TreasuryMovement,
    proposal_id: ProposalId,
) -> Result<Option<Cents>, Error> {
    let amount = movement.amount_cents;
    let enough = |has: Cents| if has < amount { Err(Error::InsufficientBalance) } else { Ok(None) };
    let house = async |conn: &mut PgConnection, account| treasury::house_balance(conn, account).await;
    match (kind, movement.plan_id) {
        (MovementKind::CapitalOut | MovementKind::PlanFunded, _) => enough(house(conn, HouseAccount::Capital).await?),
        (MovementKind::RevenueOut, _) => {
            let source = movement.source.as_deref().unwrap_or_default();
            let account = source.parse().map_err(|_| Refusal::field("source", "Please choose a revenue."))?;
            enough(house(conn, account).await?)
        }
        (_, Some(plan_id)) => {
            let plan = backing(conn, plan_id, proposal_id).await?;
            let named = movement.asset.as_deref();
            let owned = plan.assets.iter().find(|asset| Some(asset.name.as_str()) == named);
            let owned = owned.ok_or_else(|| Error::from(Refusal::field("asset", "This plan does not own that.")));
            match kind {
                MovementKind::PlanReturned => {
                    enough(plan.cash)?;
                    let (cost, value) = plan.open.map_or((Cents::ZERO, Cents::ZERO), |open| (open.cost, open.value));
                    let missing = plan.missing(cost, value.plus(amount)?)?;
                    if missing > Cents::ZERO { Err(Error::NotBacked(missing)) } else { Ok(None) }
                }
                MovementKind::PlanBought => enough(plan.to_spend()?),
                MovementKind::PlanProceeds => Ok(Some(owned?.book.min(amount))),
                MovementKind::PlanLoss => {
                    enough(owned?.book)?;
                    enough(plan.cash)
                }
                MovementKind::PlanValued => owned.map(|_| None),
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}
