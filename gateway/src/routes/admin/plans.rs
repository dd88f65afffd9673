//! Plans and values, for staff: every change is a proposal.

use axum::extract::Path;
use proto::trade::v1::{Disclosure, ListAllPlansRequest, ProposePlanRequest, ProposePlanValueRequest};
use route_macros::{get, post, put, request};

use crate::extract::StaffMember;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Field, Form, ToProto, reply};
use crate::peers::clients::{Service, ask, keyed};
use crate::routes::admin::proposals::Proposed;
use crate::routes::investments::plans::Plans;

/// List all plans
#[get("/admin/plans", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<Plans> {
    reply(ask!(caller.trade_staff.list_all_plans(ListAllPlansRequest {}))?)
}

/// The terms of a plan.
#[request]
#[schema(as = PlanTerms)]
pub struct Terms {
    #[schema(example = "Harbour")]
    title: Field<String>,
    #[schema(example = "Short-term reserves")]
    subtitle: Field<String>,
    /// Smallest amount of one investment, in dollars.
    #[schema(example = 100)]
    min: Field<f64>,
    /// Largest amount of one investment, in dollars.
    #[schema(example = 5000)]
    max: Field<f64>,
    /// Target return over the whole duration in percent, with up to two decimals.
    #[schema(example = 4.5)]
    roi: Field<f64>,
    /// Duration in days.
    #[schema(example = 30)]
    duration: Field<i32>,
    /// Whether members can invest in the plan; `true` by default.
    active: Field<Option<bool>>,
    /// What the plan invests in.
    #[schema(example = "Treasury bills of the United States, 1 to 6 months")]
    holdings: Field<Option<String>>,
    #[schema(example = "Harbour Asset Management LLC")]
    manager: Field<Option<String>>,
    /// What the plan costs, in words.
    #[schema(example = "Management fee, taken daily from the value")]
    costs: Field<Option<String>>,
    /// What it costs a year in percent of the value, with up to two decimals; 0 by default.
    #[schema(example = 0.45)]
    cost_percent: Field<Option<f64>>,
    /// Risk from 1, the lowest, to 7; not stated by default.
    #[schema(example = 2)]
    risk_class: Field<Option<i32>>,
    /// Address of a document about the plan; https.
    #[schema(example = "https://example.com/harbour.pdf")]
    document_url: Field<Option<String>>,
    /// Who ends an investment earlier pays the exit fee; 0, for no fee, by default.
    #[schema(example = 7)]
    min_holding_days: Field<Option<i32>>,
    /// Exit fee in percent of the value, at most 10, with up to two decimals; 0 by default.
    #[schema(example = 0.5)]
    exit_fee_percent: Field<Option<f64>>,
}

impl Terms {
    fn disclosure(&self, form: &mut Form) -> Disclosure {
        let mut percent = |name: &str, field: &Field<Option<f64>>| {
            if field.is_given() { i32::try_from(form.decimal(name, field, 2)).unwrap_or(i32::MAX) } else { 0 }
        };
        let cost_basis_points = percent("costPercent", &self.cost_percent);
        let exit_fee_basis_points = percent("exitFeePercent", &self.exit_fee_percent);
        // 0 stands for none on the way to trade, so it is no class that may be sent.
        let risk_class = form.optional_integer("riskClass", &self.risk_class);
        if risk_class == 0 && self.risk_class.is_given() {
            form.wrong("riskClass", "Risk class must be 1 to 7");
        }
        Disclosure {
            holdings: form.text("holdings", &self.holdings),
            manager: form.text("manager", &self.manager),
            costs: form.text("costs", &self.costs),
            cost_basis_points,
            risk_class,
            document_url: form.text("documentUrl", &self.document_url),
            min_holding_days: form.optional_integer("minHoldingDays", &self.min_holding_days),
            exit_fee_basis_points,
        }
    }
}

async fn propose(caller: StaffMember, plan_id: String, Keyed { value, claim }: Keyed<Terms>) -> Created<Proposed> {
    let mut form = Form::new();
    let roi = form.decimal("roi", &value.roi, 2);
    let message = ProposePlanRequest {
        plan_id,
        title: form.text("title", &value.title),
        subtitle: form.text("subtitle", &value.subtitle),
        min_cents: form.amount("min", &value.min).get(),
        max_cents: form.amount("max", &value.max).get(),
        roi_basis_points: i32::try_from(roi).unwrap_or(i32::MAX),
        duration_days: form.integer("duration", &value.duration),
        active: form.flag("active", &value.active, true),
        disclosure: Some(value.disclosure(&mut form)),
        client_address: caller.client.address,
        idempotency: claim,
    };
    form.finish()?;
    keyed!(caller.trade_staff.propose_plan(message))?.reply(|answer| Proposed::new(Service::Trade, answer.proposal))
}

/// Propose a plan
#[post("/admin/plans", "Back office")]
pub async fn create(caller: StaffMember, body: Keyed<Terms>) -> Created<Proposed> {
    propose(caller, String::new(), body).await
}

/// Propose other terms for a plan
#[put("/admin/plans/{id}", "Back office")]
pub async fn update(caller: StaffMember, Path(plan_id): Path<String>, body: Keyed<Terms>) -> Created<Proposed> {
    propose(caller, plan_id, body).await
}

/// A new value of a plan.
#[request(to = ProposePlanValueRequest)]
pub struct NewValue {
    /// Value of one share, above zero, with up to six decimals.
    #[to(value_micros, with = Form::millionths)]
    #[schema(example = 1.0425)]
    value: Field<f64>,
    /// Since when the value holds; by default the moment of confirmation. Not in the future, and not before the
    /// newest value.
    #[schema(example = "2026-01-31T12:00:00Z")]
    at: Field<Option<String>>,
    /// Where the value comes from, e.g. the report of a fund.
    #[schema(example = "Custodian report of 31 January")]
    source: Field<String>,
}

/// Propose a value of a plan
#[post("/admin/plans/{id}/values", "Back office")]
pub async fn add_value(caller: StaffMember, Path(plan_id): Path<String>, body: Keyed<NewValue>) -> Created<Proposed> {
    let client_address = caller.client.address;
    let message =
        ProposePlanValueRequest { plan_id, client_address, idempotency: body.claim, ..body.value.to_proto()? };
    keyed!(caller.trade_staff.propose_plan_value(message))?
        .reply(|answer| Proposed::new(Service::Trade, answer.proposal))
}
