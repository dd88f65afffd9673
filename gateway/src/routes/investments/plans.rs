//! Investment plans and their published values. Both are public.

use axum::extract::{Path, Query, State};
use proto::trade::v1 as trade;
use proto::trade::v1::{BatchListPlanValuesRequest, ListPlanValuesRequest};
use proto::wallet::v1 as wallet;
use route_macros::{get, response};
use serde::Deserialize;

use crate::app::App;
use crate::extract::Visitor;
use crate::http::convert::{FromProto, from_proto, millionths, non_empty, percent, required};
use crate::http::error::ApiError;
use crate::http::json::{Answer, Decimal, Dollars, field, ok, reply};
use crate::peers::clients::{ask, call_retrying};
use crate::routes::admin::treasury::Backing;

/// An investment plan.
#[response]
pub struct Plan {
    /// Id of the plan.
    pub id: String,
    /// Name of the plan.
    pub title: String,
    /// Description in one line.
    pub subtitle: String,
    /// Smallest amount of one investment, in dollars.
    pub min: Dollars,
    /// Largest amount of one investment, in dollars.
    pub max: Dollars,
    /// Target return over the whole duration in percent; a target, not guaranteed.
    pub roi: Decimal,
    /// Duration in days.
    pub duration: i32,
    /// Whether it is open for investments.
    pub active: bool,
    /// Current value of one share. `null` until the first value is published.
    #[nullable]
    pub value: Option<Decimal>,
    /// Since when the value holds.
    #[nullable]
    pub value_at: Option<String>,
    /// What the plan invests in; `null` if not stated, like the other texts.
    #[nullable]
    pub holdings: Option<String>,
    /// Who manages the plan.
    #[nullable]
    pub manager: Option<String>,
    /// What the plan costs, in words.
    #[nullable]
    pub costs: Option<String>,
    /// What it costs a year, in percent of the value.
    pub cost_percent: Decimal,
    /// Risk from 1, the lowest, to 7.
    #[nullable]
    pub risk_class: Option<i32>,
    /// Address of a document about the plan.
    #[nullable]
    pub document_url: Option<String>,
    /// Who ends an investment earlier pays the exit fee; 0 for no fee.
    pub min_holding_days: i32,
    /// Exit fee in percent of the value. It stays in the plan.
    pub exit_fee_percent: Decimal,
}

impl FromProto<trade::Plan> for Plan {
    fn from_proto(plan: trade::Plan) -> Result<Self, ApiError> {
        let disclosure = plan.disclosure.unwrap_or_default();
        Ok(Self {
            holdings: from_proto(disclosure.holdings)?,
            manager: from_proto(disclosure.manager)?,
            costs: from_proto(disclosure.costs)?,
            cost_percent: percent(disclosure.cost_basis_points),
            risk_class: from_proto(disclosure.risk_class)?,
            document_url: from_proto(disclosure.document_url)?,
            min_holding_days: disclosure.min_holding_days,
            exit_fee_percent: percent(disclosure.exit_fee_basis_points),
            id: plan.id,
            title: plan.title,
            subtitle: plan.subtitle,
            min: from_proto(plan.min_cents)?,
            max: from_proto(plan.max_cents)?,
            roi: percent(plan.roi_basis_points),
            duration: plan.duration_days,
            active: plan.active,
            value: published(plan.value_micros),
            value_at: from_proto(plan.value_at)?,
        })
    }
}

/// The investment plans.
#[response(from = trade::ListAllPlansResponse)]
pub struct Plans {
    /// The plans in display order.
    pub plans: Vec<Plan>,
}

/// List the plans
#[get("/plans", "Investments")]
pub async fn list(State(app): State<App>) -> Answer<Plans> {
    Ok(ok(Plans { plans: from_proto(app.plans.get().await?)? }))
}

/// How far the value of a plan has fallen and risen over every period of a length so far.
#[response(from = trade::Extremes)]
pub struct Extremes {
    /// The largest fall, or the smallest gain, in percent, rounded down.
    #[from(worst_basis_points, with = percent)]
    worst_percent: Decimal,
    /// The largest gain in percent, rounded down.
    #[from(best_basis_points, with = percent)]
    best_percent: Decimal,
}

/// What the past of a plan says; it says nothing certain about its future.
#[response(from = trade::PlanFacts)]
pub struct PlanFacts {
    /// The first published value. `null` until there is one.
    #[from(first_value_micros, with = published)]
    #[nullable]
    first_value: Option<Decimal>,
    #[nullable]
    first_value_at: Option<String>,
    /// Over every 30 days so far. `null` while the plan is younger.
    #[nullable]
    over_30_days: Option<Extremes>,
    /// Over every 90 days so far. `null` while the plan is younger.
    #[nullable]
    over_90_days: Option<Extremes>,
    /// Investments that members have ended: the newest 10,000.
    ended_trades: i32,
    /// Those of them that paid less than was invested.
    ended_at_loss: i32,
}

/// A value, if one was published.
fn published(micros: i64) -> Option<Decimal> {
    (micros > 0).then(|| millionths(micros))
}

/// A plan and its past.
#[response]
pub struct PlanPage {
    plan: Plan,
    facts: PlanFacts,
    /// Its cash, and what it owns at the last proven value: a higher value is published only while both cover all open trades.
    /// Missing while it is unknown.
    backing: Option<Backing>,
}

/// Read a plan
///
/// With what its past says; also a plan that is no longer offered.
#[get("/plans/{id}", "Investments")]
pub async fn get(caller: Visitor, Path(plan_id): Path<String>) -> Answer<PlanPage> {
    let message = wallet::GetBackingRequest { plan_id: plan_id.clone() };
    let page = caller.app.plans.page(plan_id).await?;
    // The plan is shown without what only wallet knows.
    let found = call_retrying!(caller.app.clients.backing, get_backing, caller.out, message).ok();
    let backing = from_proto(found.and_then(|answer| answer.into_inner().backing))?;
    let plan = from_proto(required(page.plan, "a plan")?)?;
    Ok(ok(PlanPage { plan, facts: from_proto(page.facts.unwrap_or_default())?, backing }))
}

/// A published value of a plan.
#[response(from = trade::PlanValue)]
pub struct PlanValue {
    /// Value of one share, with up to six decimals.
    #[from(value_micros, with = millionths)]
    value: Decimal,
    /// Since when the value holds.
    at: String,
    /// Where the value comes from.
    source: String,
}

/// A plan's values.
#[response(from = trade::ListPlanValuesResponse)]
pub struct Values {
    values: Vec<PlanValue>,
}

/// List a plan's values
#[get("/plans/{id}/values", "Investments")]
pub async fn values(caller: Visitor, Path(plan_id): Path<String>) -> Answer<Values> {
    reply(ask!(caller.trade.list_plan_values(ListPlanValuesRequest { plan_id }))?)
}

/// The plans, and the number of values of each.
#[derive(Debug, Deserialize)]
pub struct ValuesQuery {
    ids: Option<String>,
    points: Option<String>,
}

/// A point in the chart of a plan.
#[response(from = trade::PlanValue)]
pub struct CoursePoint {
    /// Value of one share, with up to six decimals.
    #[from(value_micros, with = millionths)]
    value: Decimal,
    /// Since when the value holds.
    at: String,
}

/// The values of one plan over time.
#[response(from = trade::ValuesOfPlan)]
pub struct PlanCourse {
    /// Id of the plan.
    #[from(plan_id)]
    id: String,
    /// The values, oldest first.
    values: Vec<CoursePoint>,
}

/// The values of several plans over time.
#[response(from = trade::BatchListPlanValuesResponse)]
pub struct PlanCourses {
    /// The plans that exist and have a value.
    plans: Vec<PlanCourse>,
}

/// List the values of several plans
///
/// For their charts, without sources. `ids` are at most 100 plans, separated by commas. With `points`, at most this many
/// values of each: the oldest, the newest, and others at even distances.
#[get("/plans/values", "Investments", params(("ids" = String, Query), ("points" = Option<i32>, Query, minimum = 1)))]
pub async fn courses(caller: Visitor, Query(query): Query<ValuesQuery>) -> Answer<PlanCourses> {
    let Some(ids) = query.ids.and_then(non_empty) else {
        return Err(field("ids", "Name the plans, separated by commas."));
    };
    let points = match query.points.as_deref().map(str::parse) {
        None => 0,
        Some(Ok(points)) if points > 0 => points,
        Some(_) => return Err(field("points", "Points is a number above 0.")),
    };
    let request = BatchListPlanValuesRequest { plan_ids: ids.split(',').map(str::to_owned).collect(), points };
    reply(ask!(caller.trade.batch_list_plan_values(request))?)
}
