//! TreasuryService, for staff, and BackingService, for the service trade and the public.

use chassis::clock;
use chassis::db::retrying;
use chassis::error::Refusal;
use chassis::grpc::{Reply, answer};
use chassis::hex::to_hex;
use chassis::idempotency::Answer;
use chassis::money::Cents;
use chassis::permission::Permission;
use chassis::proposal::Proposal;
use chassis::staff_call::StaffCall;
use chassis::validate;
use proto::wallet::v1 as message;
use proto::wallet::v1::backing_service_server::BackingService;
use proto::wallet::v1::treasury_service_server::TreasuryService;
use proto::wallet::v1::{
    CheckBackingRequest, CheckBackingResponse, DissolvePayoutsRequest, DissolvePayoutsResponse, GetBackingRequest,
    GetBackingResponse, GetTreasuryRequest, GetTreasuryResponse, KnownGains, PlanAsset, PlanBacking,
    PreparePayoutsRequest, PreparePayoutsResponse, ProposeMovementRequest, ProposeMovementResponse, ReportGainsRequest,
    ReportGainsResponse, ReportPlansRequest, ReportPlansResponse, SendPayoutsRequest, SendPayoutsResponse, TradeGain,
};
use tonic::{Request, Response};

use crate::app::answered_before;
use crate::app::treasury::check_solvency::Found;
use crate::app::treasury::get_backing::{Gains, PlanValue, check_backing, get_backing, report_gains, report_plans};
use crate::app::treasury::get_treasury::{Treasury, get_treasury};
use crate::app::treasury::propose_movement::{ProposeMovement, propose_movement};
use crate::domain::treasury::{Asset, Backing, Document, MovementKind, Payment, TreasuryMovement};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::GrpcServer;

/// The only service that reports plans.
const ALLOWED: [&str; 1] = ["trade"];
/// The most gains of a page.
const GAINS: usize = 5_000;
/// The most characters of a name.
const NAME: usize = 100;
/// The folder of documents in the store of the gateway.
const FOLDER: &str = "documents/";

#[tonic::async_trait]
impl TreasuryService for GrpcServer {
    async fn propose_movement(&self, request: Request<ProposeMovementRequest>) -> Reply<ProposeMovementResponse> {
        let (metadata, _, message) = request.into_parts();
        let staff = self.staff(&metadata, Permission::CorrectBalances).await?;
        let call = StaffCall::of(staff, &metadata, message.client_address.clone(), message.idempotency.as_ref())?;
        let kind = message.kind.parse::<MovementKind>();
        let kind = kind.map_err(|_| Refusal::field("kind", "Please choose what moves.")).map_err(Error::from)?;
        let (member_id, movement) = match kind {
            MovementKind::Refund if !message.transaction_id.is_empty() => match self.returned(message).await {
                Ok(found) => found,
                // A repetition is answered as before, no matter what was consumed meanwhile.
                Err(refusal) => {
                    let before: Answer<Proposal> =
                        answered_before(&self.db, call.claim.as_ref()).await?.ok_or(refusal)?;
                    return Ok(answer(before.map(|one| ProposeMovementResponse { proposal: Some(one.into()) })));
                }
            },
            _ => (None, movement(kind, message)?),
        };
        let command = ProposeMovement { call, kind, movement, member_id };
        let done = retrying(|| propose_movement(&self.db, &command)).await?;
        Ok(answer(done.map(|one| ProposeMovementResponse { proposal: Some(one.into()) })))
    }

    async fn prepare_payouts(&self, request: Request<PreparePayoutsRequest>) -> Reply<PreparePayoutsResponse> {
        self.prepare(request).await
    }

    async fn send_payouts(&self, request: Request<SendPayoutsRequest>) -> Reply<SendPayoutsResponse> {
        self.send(request).await
    }

    async fn dissolve_payouts(&self, request: Request<DissolvePayoutsRequest>) -> Reply<DissolvePayoutsResponse> {
        self.dissolve(request).await
    }

    async fn get_treasury(&self, request: Request<GetTreasuryRequest>) -> Reply<GetTreasuryResponse> {
        self.staff(request.metadata(), Permission::See).await?;
        let found = self.solvency().await?;
        let treasury = get_treasury(&self.db).await?;
        Ok(Response::new(response(treasury, found)?))
    }
}

#[tonic::async_trait]
impl BackingService for GrpcServer {
    async fn check_backing(&self, request: Request<CheckBackingRequest>) -> Reply<CheckBackingResponse> {
        self.verifier.service(request.metadata(), &ALLOWED)?;
        let CheckBackingRequest { plan_id, cost_cents, value_cents } = request.into_inner();
        let plan_id = validate::id("planId", &plan_id)?;
        check_backing(&self.db, plan_id, Cents::new(cost_cents), Cents::new(value_cents)).await?;
        Ok(Response::new(CheckBackingResponse {}))
    }

    async fn report_plans(&self, request: Request<ReportPlansRequest>) -> Reply<ReportPlansResponse> {
        self.verifier.service(request.metadata(), &ALLOWED)?;
        let message = request.into_inner();
        let read_at = message.read_at.as_ref().and_then(clock::from_proto);
        let read_at = read_at.ok_or_else(|| Refusal::field("readAt", "Name the moment of the report."))?;
        let mut plans = Vec::new();
        for plan in message.plans {
            plans.push(PlanValue {
                plan_id: validate::id("planId", &plan.plan_id)?,
                title: plan.title,
                cost: Cents::new(plan.cost_cents),
                value: Cents::new(plan.value_cents),
                value_at: plan.value_at.as_ref().and_then(clock::from_proto),
            });
        }
        let known = retrying(|| report_plans(&self.db, &plans, read_at)).await?;
        let gains = known.into_iter().map(|(plan_id, value_at)| KnownGains {
            plan_id: plan_id.to_string(),
            value_at: value_at.map(clock::to_proto),
        });
        Ok(Response::new(ReportPlansResponse { gains: gains.collect() }))
    }

    async fn report_gains(&self, request: Request<ReportGainsRequest>) -> Reply<ReportGainsResponse> {
        self.verifier.service(request.metadata(), &ALLOWED)?;
        let page = gains(request.into_inner())?;
        retrying(|| report_gains(&self.db, &page)).await?;
        Ok(Response::new(ReportGainsResponse {}))
    }

    async fn get_backing(&self, request: Request<GetBackingRequest>) -> Reply<GetBackingResponse> {
        self.verifier.visitor(request.metadata())?;
        let plan_id = validate::id("planId", &request.into_inner().plan_id)?;
        let backing = get_backing(&self.db, plan_id).await?;
        Ok(Response::new(GetBackingResponse { backing: Some(plan(backing)?) }))
    }
}

/// Reads a page of gains.
fn gains(message: ReportGainsRequest) -> Result<Gains, Error> {
    if message.gains.len() > GAINS {
        return Err(Refusal::field("gains", format!("At most {GAINS} gains at once.")).into());
    }
    let value_at = message.value_at.as_ref().and_then(clock::from_proto);
    let gain = |one: TradeGain| match validate::id("tradeId", &one.trade_id) {
        Ok(_) if one.gain_cents <= 0 => Err(Refusal::field("gainCents", "A gain is above zero.").into()),
        Ok(id) => Ok((id, Cents::new(one.gain_cents))),
        Err(error) => Err(Error::from(error)),
    };
    Ok(Gains {
        plan_id: validate::id("planId", &message.plan_id)?,
        value_at: value_at.ok_or_else(|| Refusal::field("valueAt", "Name the moment of the value."))?,
        gains: message.gains.into_iter().map(gain).collect::<Result<_, Error>>()?,
        is_last: message.is_last,
    })
}

/// Reads what a movement of this kind says; fields of other kinds are left out.
fn movement(kind: MovementKind, message: ProposeMovementRequest) -> Result<TreasuryMovement, Error> {
    let plan = if kind.is_of_plan() { message.plan_id.as_str() } else { "" };
    let payment = match message.txid.as_str() {
        "" => None,
        text => {
            let network = name("network", &message.network)?.unwrap_or_default();
            let txid = Txid::parse(text, &network)?.at(message.vout);
            Some(Payment::new(network, txid))
        }
    };
    let document = match name("document", &message.document)? {
        None => None,
        Some(document) => {
            let issuer = name("issuer", &message.issuer)?;
            let at = message.document_at.as_ref().and_then(clock::from_proto);
            Some(Document {
                name: document,
                issuer: issuer.ok_or_else(|| Refusal::field("issuer", "Please enter who issued the document."))?,
                at: at.ok_or_else(|| Refusal::field("documentAt", "Please enter the date of the document."))?,
                file: Some(file(&message)?),
                sha256: Some(to_hex(&message.file_digest)),
            })
        }
    };
    Ok(TreasuryMovement {
        amount_cents: Cents::new(message.amount_cents),
        plan_id: if plan.is_empty() { None } else { Some(validate::id("planId", plan)?) },
        plan_title: name("planTitle", &message.plan_title)?.filter(|_| kind.is_of_plan()),
        asset: name("asset", &message.asset)?.filter(|_| kind.has_asset()),
        source: Some(message.source).filter(|_| kind == MovementKind::RevenueOut),
        book_cents: None,
        payment,
        document,
        returned: None,
        note: message.note.trim().to_owned(),
    })
}

/// The key of the stored file of a document.
fn file(message: &ProposeMovementRequest) -> Result<String, Error> {
    let is_stored = message.file.starts_with(FOLDER) && message.file_digest.len() == 32;
    let file = Some(message.file.clone()).filter(|key| is_stored && key.len() <= NAME);
    Ok(file.ok_or_else(|| Refusal::field("file", "Please attach the document."))?)
}

/// A name without blanks around it; `None` if it is empty.
fn name(field: &str, text: &str) -> Result<Option<String>, Error> {
    let text = text.trim();
    if text.chars().count() > NAME || text.chars().any(char::is_control) {
        return Err(Refusal::field(field, "Please enter at most 100 characters.").into());
    }
    Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
}

fn response(treasury: Treasury, found: Found) -> Result<GetTreasuryResponse, Error> {
    Ok(GetTreasuryResponse {
        capital_cents: treasury.capital.get(),
        course_revenue_cents: treasury.course_revenue.get(),
        fee_revenue_cents: treasury.fee_revenue.get(),
        network_fees_cents: treasury.network_fees.get(),
        bonus_expense_cents: treasury.bonus_expense.get(),
        adjustments_cents: treasury.adjustments.get(),
        solvency: Some((&found).into()),
        plans: found.plans.into_iter().map(plan).collect::<Result<_, _>>()?,
        movements: treasury.movements.into_iter().map(Into::into).collect(),
    })
}

impl From<&Found> for message::Solvency {
    fn from(found: &Found) -> Self {
        let sums = &found.solvency;
        Self {
            owed_cents: sums.owed.get(),
            gains_cents: sums.gains.get(),
            held_cents: sums.held.get(),
            assets_cents: sums.assets.get(),
            stated_cents: sums.stated.get(),
            is_observed: sums.is_observed,
            missing_cents: found.missing.get(),
        }
    }
}

fn plan(one: Backing) -> Result<PlanBacking, Error> {
    Ok(PlanBacking {
        plan_id: one.plan_id.to_string(),
        assets_cents: one.value_of_assets()?.get(),
        missing_cents: one.missing_now()?.get(),
        title: one.title,
        cash_cents: one.cash.get(),
        cost_cents: one.open.map_or(0, |open| open.cost.get()),
        value_cents: one.open.map_or(0, |open| open.value.get()),
        reported_at: one.open.map(|open| clock::to_proto(open.at)),
        assets: one.assets.into_iter().map(asset).collect(),
    })
}

fn asset(one: Asset) -> PlanAsset {
    PlanAsset {
        name: one.name,
        book_cents: one.book.get(),
        value_cents: one.value.get(),
        proven_at: Some(clock::to_proto(one.proven_at)),
        proof: one.proof,
        issuer: one.issuer,
    }
}
