//! Plans and values, for staff: every change is a proposal.

use axum::extract::{Path, State};
use axum::response::Response;
use chassis::clock;
use proto::trade::v1::{Disclosure, ListAllPlansRequest, ProposePlanRequest, ProposePlanValueRequest};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{Service, call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{SignedIn, StaffMember};
use crate::idempotency::{Key, Keyed, marked};
use crate::json::{Field, Form, Reply, created, ok};
use crate::routes::admin::proposals::Proposed;
use crate::routes::plans::{Plan, Plans};

/// List all plans
#[utoipa::path(get, path = "/admin/plans", responses((status = 200, body = Plans), Errors), tag = "Back office")]
pub async fn list(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<Plans>, ApiError> {
    let answer =
        call_retrying!(app.clients.trade_staff, list_all_plans, caller.out, ListAllPlansRequest {})?.into_inner();
    Ok(ok(Plans { success: true, plans: answer.plans.into_iter().map(Plan::from).collect() }))
}

/// The terms of a plan.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlanTerms)]
pub struct Terms {
    #[schema(value_type = String, example = "Harbour")]
    title: Field,
    #[schema(value_type = String, example = "Short-term reserves")]
    subtitle: Field,
    /// Smallest amount of one investment, in dollars.
    #[schema(value_type = f64, example = 100)]
    min: Field,
    /// Largest amount of one investment, in dollars.
    #[schema(value_type = f64, example = 5000)]
    max: Field,
    /// Target return over the whole duration in percent, with up to two decimals.
    #[schema(value_type = f64, example = 4.5)]
    roi: Field,
    /// Duration in days.
    #[schema(value_type = i32, example = 30)]
    duration: Field,
    /// Whether members can invest in the plan; `true` by default.
    #[schema(value_type = Option<bool>)]
    active: Field,
    /// What the plan invests in.
    #[schema(value_type = Option<String>, example = "Treasury bills of the United States, 1 to 6 months")]
    holdings: Field,
    #[schema(value_type = Option<String>, example = "Harbour Asset Management LLC")]
    manager: Field,
    /// What the plan costs, in words.
    #[schema(value_type = Option<String>, example = "Management fee, taken daily from the value")]
    costs: Field,
    /// What it costs a year in percent of the value, with up to two decimals; 0 by default.
    #[schema(value_type = Option<f64>, example = 0.45)]
    cost_percent: Field,
    /// Risk from 1, the lowest, to 7; not stated by default.
    #[schema(value_type = Option<i32>, example = 2)]
    risk_class: Field,
    /// Address of a document about the plan; https.
    #[schema(value_type = Option<String>, example = "https://example.com/harbour.pdf")]
    document_url: Field,
    /// Who ends an investment earlier pays the exit fee; 0, for no fee, by default.
    #[schema(value_type = Option<i32>, example = 7)]
    min_holding_days: Field,
    /// Exit fee in percent of the value, at most 10, with up to two decimals; 0 by default.
    #[schema(value_type = Option<f64>, example = 0.5)]
    exit_fee_percent: Field,
}

impl Terms {
    fn disclosure(&self, form: &mut Form) -> Disclosure {
        let mut percent = |name: &str, field: &Field| {
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

async fn propose(
    app: &App,
    caller: SignedIn,
    plan_id: String,
    Keyed { value, claim }: Keyed<Terms>,
) -> Result<Response, ApiError> {
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
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.trade_staff, propose_plan, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::Trade, answer.proposal)?)))
}

/// Propose a plan
#[utoipa::path(post, path = "/admin/plans", request_body = Terms, params(Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn create(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    body: Keyed<Terms>,
) -> Result<Response, ApiError> {
    propose(&app, caller, String::new(), body).await
}

/// Propose other terms for a plan
#[utoipa::path(put, path = "/admin/plans/{id}", request_body = Terms,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn update(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(plan_id): Path<String>,
    body: Keyed<Terms>,
) -> Result<Response, ApiError> {
    propose(&app, caller, plan_id, body).await
}

/// A new value of a plan.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewValue {
    /// Value of one share, above zero, with up to six decimals.
    #[schema(value_type = f64, example = 1.0425)]
    value: Field,
    /// Since when the value holds; by default the moment of confirmation. Not in the future, and not before the
    /// newest value.
    #[schema(value_type = Option<String>, example = "2026-01-31T12:00:00Z")]
    at: Field,
    /// Where the value comes from, e.g. the report of a fund.
    #[schema(value_type = String, example = "Custodian report of 31 January")]
    source: Field,
}

/// Propose a value of a plan
#[utoipa::path(post, path = "/admin/plans/{id}/values", request_body = NewValue,
    params(("id" = String, Path), Key),
    responses((status = 201, body = Proposed), Errors), tag = "Back office")]
pub async fn add_value(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Path(plan_id): Path<String>,
    Keyed { value, claim }: Keyed<NewValue>,
) -> Result<Response, ApiError> {
    let mut form = Form::new();
    let message = ProposePlanValueRequest {
        plan_id,
        value_micros: form.decimal("value", &value.value, 6),
        at: form.moment("at", &value.at).map(clock::to_proto),
        source: form.text("source", &value.source),
        client_address: caller.client.address,
        idempotency: claim.clone(),
    };
    form.finish()?;
    let (metadata, answer, _) =
        call_keyed!(app.clients.trade_staff, propose_plan_value, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Service::Trade, answer.proposal)?)))
}
