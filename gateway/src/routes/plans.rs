//! Investment plans and their published values. Both are public.

use axum::extract::{Path, Query, State};
use proto::trade::v1 as trade;
use proto::trade::v1::{BatchListPlanValuesRequest, ListPlanValuesRequest};
use proto::wallet::v1 as wallet;
use route_macros::{get, response};
use serde::Deserialize;

use crate::app::App;
use crate::clients::{ask, call_retrying};
use crate::error::ApiError;
use crate::extract::Visitor;
use crate::json::{Answer, Decimal, Dollars, field, known_moment, moment, ok};
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

/// A text that a plan may leave out.
fn stated(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

impl From<trade::Plan> for Plan {
    fn from(plan: trade::Plan) -> Self {
        let disclosure = plan.disclosure.unwrap_or_default();
        Self {
            holdings: stated(disclosure.holdings),
            manager: stated(disclosure.manager),
            costs: stated(disclosure.costs),
            cost_percent: Decimal::new(disclosure.cost_basis_points.into(), 2),
            risk_class: (disclosure.risk_class != 0).then_some(disclosure.risk_class),
            document_url: stated(disclosure.document_url),
            min_holding_days: disclosure.min_holding_days,
            exit_fee_percent: Decimal::new(disclosure.exit_fee_basis_points.into(), 2),
            id: plan.id,
            title: plan.title,
            subtitle: plan.subtitle,
            min: Dollars::from_cents(plan.min_cents),
            max: Dollars::from_cents(plan.max_cents),
            roi: Decimal::new(plan.roi_basis_points.into(), 2),
            duration: plan.duration_days,
            active: plan.active,
            value: (plan.value_micros > 0).then(|| Decimal::new(plan.value_micros, 6)),
            value_at: moment(plan.value_at.as_ref()),
        }
    }
}

/// The investment plans.
#[response]
pub struct Plans {
    /// The plans in display order.
    pub plans: Vec<Plan>,
}

/// List the plans
#[get("/plans", "Investments")]
pub async fn list(State(app): State<App>) -> Answer<Plans> {
    let plans = app.plans.get().await?;
    Ok(ok(Plans { plans: plans.into_iter().map(Plan::from).collect() }))
}

/// How far the value of a plan has fallen and risen over every period of a length so far.
#[response]
pub struct Extremes {
    /// The largest fall, or the smallest gain, in percent, rounded down.
    worst_percent: Decimal,
    /// The largest gain in percent, rounded down.
    best_percent: Decimal,
}

impl From<trade::Extremes> for Extremes {
    fn from(extremes: trade::Extremes) -> Self {
        Self {
            worst_percent: Decimal::new(extremes.worst_basis_points.into(), 2),
            best_percent: Decimal::new(extremes.best_basis_points.into(), 2),
        }
    }
}

/// What the past of a plan says; it says nothing certain about its future.
#[response]
pub struct PlanFacts {
    /// The first published value. `null` until there is one.
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

impl From<trade::PlanFacts> for PlanFacts {
    fn from(facts: trade::PlanFacts) -> Self {
        Self {
            first_value: (facts.first_value_micros > 0).then(|| Decimal::new(facts.first_value_micros, 6)),
            first_value_at: moment(facts.first_value_at.as_ref()),
            over_30_days: facts.over_30_days.map(Extremes::from),
            over_90_days: facts.over_90_days.map(Extremes::from),
            ended_trades: facts.ended_trades,
            ended_at_loss: facts.ended_at_loss,
        }
    }
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
    let backing = found.and_then(|answer| answer.into_inner().backing).map(Into::into);
    let plan = page.plan.ok_or_else(|| ApiError::internal("an answer without plan"))?;
    Ok(ok(PlanPage { plan: plan.into(), facts: page.facts.unwrap_or_default().into(), backing }))
}

/// A published value of a plan.
#[response]
pub struct PlanValue {
    /// Value of one share, with up to six decimals.
    value: Decimal,
    /// Since when the value holds.
    at: String,
    /// Where the value comes from.
    source: String,
}

/// A plan's values.
#[response]
pub struct Values {
    values: Vec<PlanValue>,
}

/// List a plan's values
#[get("/plans/{id}/values", "Investments")]
pub async fn values(caller: Visitor, Path(plan_id): Path<String>) -> Answer<Values> {
    let answer = ask!(caller.trade.list_plan_values(ListPlanValuesRequest { plan_id }))?;
    let values = answer.values.into_iter().map(|value| {
        Ok::<_, ApiError>(PlanValue {
            value: Decimal::new(value.value_micros, 6),
            at: known_moment(value.at.as_ref())?,
            source: value.source,
        })
    });
    Ok(ok(Values { values: values.collect::<Result<_, _>>()? }))
}

/// The plans, and the number of values of each.
#[derive(Debug, Deserialize)]
pub struct ValuesQuery {
    ids: Option<String>,
    points: Option<String>,
}

/// A point in the chart of a plan.
#[response]
pub struct CoursePoint {
    /// Value of one share, with up to six decimals.
    value: Decimal,
    /// Since when the value holds.
    at: String,
}

/// The values of one plan over time.
#[response]
pub struct PlanCourse {
    /// Id of the plan.
    id: String,
    /// The values, oldest first.
    values: Vec<CoursePoint>,
}

/// The values of several plans over time.
#[response]
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
    let Some(ids) = query.ids.filter(|ids| !ids.is_empty()) else {
        return Err(field("ids", "Name the plans, separated by commas."));
    };
    let points = match query.points.as_deref().map(str::parse) {
        None => 0,
        Some(Ok(points)) if points > 0 => points,
        Some(_) => return Err(field("points", "Points is a number above 0.")),
    };
    let request = BatchListPlanValuesRequest { plan_ids: ids.split(',').map(str::to_owned).collect(), points };
    let answer = ask!(caller.trade.batch_list_plan_values(request))?;
    let point = |value: trade::PlanValue| {
        let at = known_moment(value.at.as_ref())?;
        Ok::<_, ApiError>(CoursePoint { value: Decimal::new(value.value_micros, 6), at })
    };
    let plans = answer.plans.into_iter().map(|plan| {
        let values = plan.values.into_iter().map(point).collect::<Result<_, _>>()?;
        Ok::<_, ApiError>(PlanCourse { id: plan.plan_id, values })
    });
    Ok(ok(PlanCourses { plans: plans.collect::<Result<_, _>>()? }))
}
