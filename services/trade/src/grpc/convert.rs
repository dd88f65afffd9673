//! Conversion between proto messages and the types of this service.

use chassis::clock;
use chassis::error::Refusal;
use chassis::id::{PlanId, TradeId};
use chassis::money::Cents;
use proto::trade::v1::{
    Disclosure as DisclosureMessage, Extremes as ExtremesMessage, Plan as PlanMessage, PlanFacts, PlanValue,
    ProposePlanRequest, ProposePlanValueRequest, Trade as TradeMessage, TradeStatus, ValuesOfPlan,
};

use crate::domain::disclosure::Disclosure;
use crate::domain::facts::{Extremes, Facts};
use crate::domain::plan::{Plan, Terms};
use crate::domain::trade::{Status, Trade};
use crate::domain::value::{Draft, Value};
use crate::error::Error;

/// A plan's id; malformed text names no plan.
pub(super) fn plan_id(text: &str) -> Result<PlanId, Error> {
    text.parse().map_err(|_| Error::PlanNotFound)
}

/// A trade's id; malformed text names no trade.
pub(super) fn trade_id(text: &str) -> Result<TradeId, Error> {
    text.parse().map_err(|_| Error::TradeNotFound)
}

pub(super) fn terms(message: &ProposePlanRequest) -> Result<Terms, Error> {
    let terms = Terms::parse(Terms {
        title: message.title.clone(),
        subtitle: message.subtitle.clone(),
        min: Cents::new(message.min_cents),
        max: Cents::new(message.max_cents),
        roi_basis_points: message.roi_basis_points,
        duration_days: message.duration_days,
        active: message.active,
        disclosure: message.disclosure.clone().map(Disclosure::from).unwrap_or_default(),
    });
    Ok(terms.map_err(Refusal::from)?)
}

pub(super) fn draft(message: &ProposePlanValueRequest) -> Result<Draft, Error> {
    let no_moment = || Refusal::field("at", "Enter a date and time");
    let at = message.at.as_ref().map(|at| clock::from_proto(at).ok_or_else(no_moment)).transpose()?;
    let draft = Draft::parse(Draft { micros: message.value_micros, at, source: message.source.clone() });
    Ok(draft.map_err(Refusal::from)?)
}

impl From<DisclosureMessage> for Disclosure {
    fn from(message: DisclosureMessage) -> Self {
        Self {
            holdings: message.holdings,
            manager: message.manager,
            costs: message.costs,
            cost_basis_points: message.cost_basis_points,
            risk_class: (message.risk_class != 0).then_some(message.risk_class),
            document_url: message.document_url,
            min_holding_days: message.min_holding_days,
            exit_fee_basis_points: message.exit_fee_basis_points,
        }
    }
}

impl From<Disclosure> for DisclosureMessage {
    fn from(disclosure: Disclosure) -> Self {
        Self {
            holdings: disclosure.holdings,
            manager: disclosure.manager,
            costs: disclosure.costs,
            cost_basis_points: disclosure.cost_basis_points,
            risk_class: disclosure.risk_class.unwrap_or_default(),
            document_url: disclosure.document_url,
            min_holding_days: disclosure.min_holding_days,
            exit_fee_basis_points: disclosure.exit_fee_basis_points,
        }
    }
}

impl From<Facts> for PlanFacts {
    fn from(facts: Facts) -> Self {
        let count = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            first_value_micros: facts.first.as_ref().map_or(0, |first| first.micros),
            first_value_at: facts.first.map(|first| clock::to_proto(first.at)),
            over_30_days: facts.over_30_days.map(ExtremesMessage::from),
            over_90_days: facts.over_90_days.map(ExtremesMessage::from),
            ended_trades: count(facts.outcomes.ended),
            ended_at_loss: count(facts.outcomes.at_loss),
        }
    }
}

impl From<Extremes> for ExtremesMessage {
    fn from(extremes: Extremes) -> Self {
        Self { worst_basis_points: extremes.worst_basis_points, best_basis_points: extremes.best_basis_points }
    }
}

impl From<Plan> for PlanMessage {
    fn from(plan: Plan) -> Self {
        let terms = plan.terms;
        Self {
            id: plan.id.to_string(),
            title: terms.title,
            subtitle: terms.subtitle,
            min_cents: terms.min.get(),
            max_cents: terms.max.get(),
            roi_basis_points: terms.roi_basis_points,
            duration_days: terms.duration_days,
            active: terms.active,
            value_micros: plan.value.as_ref().map_or(0, |value| value.micros),
            value_at: plan.value.map(|value| clock::to_proto(value.at)),
            disclosure: Some(terms.disclosure.into()),
        }
    }
}

/// Values sorted by plan, as one message for each plan.
pub(super) fn values_of_plans(values: Vec<(PlanId, Value)>) -> Vec<ValuesOfPlan> {
    values
        .chunk_by(|(one, _), (next, _)| one == next)
        .filter_map(|of_plan| {
            let (plan_id, _) = of_plan.first()?;
            let values = of_plan.iter().map(|(_, value)| PlanValue {
                value_micros: value.micros,
                at: Some(clock::to_proto(value.at)),
                source: String::new(),
            });
            Some(ValuesOfPlan { plan_id: plan_id.to_string(), values: values.collect() })
        })
        .collect()
}

impl From<Value> for PlanValue {
    fn from(value: Value) -> Self {
        Self { value_micros: value.micros, at: Some(clock::to_proto(value.at)), source: value.source }
    }
}

pub(super) fn trade(trade: Trade) -> Result<TradeMessage, Error> {
    let status = match trade.status {
        Status::Opening => TradeStatus::Opening,
        Status::Open => TradeStatus::Open,
        Status::Settling => TradeStatus::Settling,
        Status::Claimed => TradeStatus::Claimed,
        Status::Closed => TradeStatus::Closed,
        Status::Failed => TradeStatus::Failed,
    };
    Ok(TradeMessage {
        current_value_cents: trade.current_value()?.get(),
        exit_fee_basis_points: trade.exit_fee_basis_points,
        exit_fee_until: trade.exit_fee_until().map(clock::to_proto),
        exit_fee_cents: trade.exit_fee()?.get(),
        id: trade.id.to_string(),
        user_id: trade.user_id.to_string(),
        plan_id: trade.plan_id.to_string(),
        plan_title: trade.plan_title,
        roi_basis_points: trade.roi_basis_points,
        duration_days: trade.duration_days,
        amount_cents: trade.amount.get(),
        opening_value_micros: trade.opening_value_micros,
        status: status.into(),
        created_at: Some(clock::to_proto(trade.created_at)),
        matures_at: Some(clock::to_proto(trade.matures_at)),
        closed_at: trade.ended_at.map(clock::to_proto),
        waiting_since: trade.cash_short_since.filter(|_| trade.status == Status::Settling).map(clock::to_proto),
    })
}
